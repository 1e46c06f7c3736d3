// The migration that makes arguments of calls and gates JSON text instead of an object, and renames `opaque` to `seal`.

/** Changes of one version, as in migrations.ts. A landed version is never edited. */
export const textArguments = [
  {
    sqlite: [
      `UPDATE items SET body = json_set(body, '$.args', (body -> '$.args') || '')
         WHERE (body LIKE '{"type":"call",%' OR body LIKE '{"type":"gate",%') AND json_type(body, '$.args') = 'object'`,
      `UPDATE turns SET input = (
           SELECT json_group_array(json(CASE json_type(value, '$.item.args')
             WHEN 'object' THEN json_set(value, '$.item.args', (value -> '$.item.args') || '') ELSE value END) ORDER BY key)
           FROM json_each(turns.input)
         ) WHERE input LIKE '%","args":{%'`,
    ],
    // Without JSON operators: they refuse text with U+0000. Inside a JSON string every quote is escaped.
    postgres: [
      `UPDATE items SET body = left(body, strpos(body, '","args":{') + 8) || to_json(
           substr(body, strpos(body, '","args":{') + 9, length(body) - strpos(body, '","args":{') - 9))::text || '}'
         WHERE body LIKE '{"type":"call",%' AND strpos(body, '","args":{') > 0`,
      `UPDATE items SET body = left(body, strpos(body, '","args":{') + 8) || to_json(
           substr(body, strpos(body, '","args":{') + 9,
             length(body) - strpos(reverse(body), '":"tpmorp",') - strpos(body, '","args":{') - 18))::text
           || right(body, strpos(reverse(body), '":"tpmorp",') + 10)
         WHERE body LIKE '{"type":"gate",%' AND strpos(body, '","args":{') > 0`,
      `UPDATE turns SET input = (
           SELECT '[' || string_agg(CASE WHEN draft LIKE '{"id":"%","item":{"type":"call",%' AND strpos(draft, '","args":{') > 0
             THEN left(draft, strpos(draft, '","args":{') + 8) || to_json(
               substr(draft, strpos(draft, '","args":{') + 9, length(draft) - strpos(draft, '","args":{') - 10))::text || '}}'
             ELSE draft END, ',' ORDER BY place) || ']'
           FROM (SELECT value::text AS draft, ordinality AS place
             FROM json_array_elements(turns.input::json) WITH ORDINALITY) AS drafts
         ) WHERE input LIKE '%","args":{%'`,
    ],
  },
  `UPDATE items SET body = replace(body, '","opaque":"', '","seal":"') WHERE body LIKE '{"type":"reasoning",%'`,
]
