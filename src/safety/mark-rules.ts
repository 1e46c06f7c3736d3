// Rules that recognize instructions in text from outside: orders as phrases, chat and tool markup as patterns. A rule is
// tried only at its anchors and looks a bounded stretch ahead, since the author of a text decides how many anchors it has.
import { lists, phrases, type Severity } from './mark-phrases.ts'

export type MarkRule = {
  readonly id: string
  readonly severity: Severity
  /** Words that begin a match, in lower case; the rule is tried nowhere else. */
  readonly anchors: readonly string[]
  /** Sticky, from the anchor's first letter on. */
  readonly pattern: () => RegExp
}

/** Up to `max` characters of the same sentence. */
const gap = (max: number): string => `[^.!?。！？\\n]{0,${max}}?`
const blanks = '\\s{0,3}'
const address =
  '(?:https?:/|ftp:/|[a-z0-9-]{2,40}\\.(?:com|net|org|io|xyz|site|example|evil|test|dev|app|ru|cn|info)\\b|[\\w+-]{1,40}@[a-z0-9-]{2,40}\\.|(?:the|this|that|my|our) (?:url|server|webhook|endpoint|address|query))'
const sent = `(?:${wordsIn('{valuable}').join('|')}|content|data|everything|file|message|result|email|document|answer|it|them|note)s?\\b`
/** A placeholder to be filled in: {x}, ${x}, $(x), %s, <x>, [x], or a name in capitals. */
const placeholder =
  '(?:\\{\\{?[^}\\s]{1,60}\\}|\\$\\{[^}]{1,60}\\}|\\$\\([^)]{1,60}\\)|%s|<[A-Za-z _-]{2,40}>|\\[[A-Za-z _-]{2,40}\\]|(?-i:[A-Z_]{0,20}(?:SECRET|TOKEN|DATA|PASSWORD|API_?KEY|BASE64|PROMPT|HISTORY|CONTEXT|ENCODED)[A-Z_]{0,20})(?![A-Za-z]))'
const agents = wordsIn('{agent}').join('|')
const hidingStyle =
  'display: ?none|visibility: ?hidden|font-size: ?0(?:px|pt|em)?\\b|opacity: ?0(?:\\.0)?\\b|color: ?(?:white|transparent|#fff(?:fff)?\\b)|left: ?-\\d{3,5}px'

/** Markup and tricks that are not sentences, by rule: the anchors and the pattern of each. */
const patterns: readonly [id: string, severity: Severity, says: string, anchors: readonly string[], source: string][] =
  [
    [
      'system-prompt',
      'high',
      'imitates or asks for the system prompt',
      ['<system', '</system', '[system', '[developer', '[admin', '#system', '# system'],
      '(?:</?system(?:[ _-](?:prompt|message|instructions?|reminder|override))?>|\\[(?:system|developer|admin)(?: (?:message|prompt|override|note|instructions?|notice))?\\]|# ?system(?: (?:prompt|message|instructions?))?\\s*:?\\n)',
    ],
    [
      'chat-template',
      'high',
      "writes a model's own marks for who speaks",
      ['<|', '<｜'],
      '<[|｜](?:im_start|im_end|im_sep|system|user|assistant|end|endoftext|end_of_text|begin_of_text|eot_id|eom_id|start_header_id|end_header_id|channel|message|start|return|call|tool_calls?(?:[_▁](?:begin|end))?|python_tag|endofprompt|begin▁of▁sentence|end▁of▁sentence)[|｜]>',
    ],
    [
      'chat-template',
      'high',
      "writes a model's own marks for who speaks",
      ['|im_', '[inst]', '[/inst]', '<<sys>>', '<</sys>>', '<start_of_turn>', '<end_of_turn>', '<bos>', '<eos>'],
      '(?:\\|im_(?:start|end)\\||\\[/?inst\\]|<</?sys>>|<(?:start|end)_of_turn>|<[be]os>)',
    ],
    [
      'chat-template',
      'high',
      "writes a model's own marks for who speaks",
      ['\n\nhuman:', '\n\nassistant:'],
      '\\n\\n(?:human|assistant): ?\\S',
    ],
    [
      'tool-call',
      'high',
      'imitates a call of a tool, or its result',
      ['<function_', '</function_', '<invoke', '<tool_', '</tool_', '<function=', '<parameter', '```tool_code'],
      '(?:</?function_(?:calls?|results?)>|<(?:invoke|parameter) name ?=|</?tool_(?:call|use|result)s?[ >]|<function=|```tool_code)',
    ],
    [
      'tool-call',
      'high',
      'imitates a call of a tool, or its result',
      ['"tool_calls"', '"function_call"', '"tool_use"'],
      '(?:"tool_calls" ?: ?\\[|"(?:function_call|tool_use)" ?[:,}])',
    ],
    [
      'tool-call',
      'medium',
      'names a tool of the agent and asks for it',
      ['web_fetch', 'http_request', 'memory_', 'workspace_'],
      '(?<=(?:call|use|using|invoke|run|with|via|tool|execute|through)[ `"\'(]{1,3}(?:the |your |its )?[`"\']?)(?:web_fetch|http_request|memory_(?:write|edit|delete|read)|workspace_(?:write|edit|shell|read))\\b',
    ],
    [
      'block-mark',
      'high',
      'writes the marks that the service puts around text',
      ['untrusted-content', 'user-context>', '/instructions>', '<instructions>'],
      '(?:(?<=[<＜[/\\\\]\\s{0,3})untrusted-content|(?<=[<＜[/]\\s{0,3})user-context>|/instructions>|<instructions>)',
    ],
    [
      'exfiltration',
      'high',
      'asks for data to be sent to an address',
      ['send', 'post ', 'upload', 'forward', 'exfiltrate', 'transmit', 'submit', 'append', 'leak', 'encode'],
      `(?<![\\p{L}\\p{N}_])\\w{4,10}\\b(?=${gap(60)}${sent})${gap(120)}\\b(?:to|at|into|via|in|as)\\b[^.!?\\n]{0,20}?${address}`,
    ],
    [
      'exfiltration',
      'high',
      'asks for data to be sent to an address',
      ['sende ', 'envoie', 'envoyez', 'envía', 'envia', 'invia', 'отправ', 'Отправ', '发送', '送信'],
      `\\p{L}{2,10}${gap(80)}https?:/`,
    ],
    [
      'exfiltration',
      'high',
      'has an image or link whose address is to be filled with data',
      [
        '](http',
        'src="http',
        "src='http",
        'href="http',
        ...'fetch|visit|open|load|get|request|curl|call'.split('|').map((verb) => `${verb} http`),
      ],
      `[^h]{1,10}https?://[^\\s"'<>)]{0,200}[?&/=]${placeholder}`,
    ],
    [
      'exfiltration',
      'high',
      'has an image or link whose address is to be filled with data',
      ['render'],
      'render(?:ing)? (?:this|the following|an?) (?:markdown )?image[^.\\n]{0,80}https?://',
    ],
    [
      'hidden-text',
      'high',
      'speaks to a machine where a person sees nothing',
      ['<!--', 'style=', '[//]: #'],
      `(?:<!--|\\[//\\]: #|style=["'][^"'>]{0,120}?(?:${hidingStyle})[^>]{0,120}>)[^>]{0,300}?(?<![\\p{L}\\p{N}_])(?:ignore (?:all|any|previous|prior|the)|instructions? (?:for|to) |(?:${agents}) ?(?:must|should|reading|:|,|agents?)|assistant|you (?:must|are now|should now)|system prompt|do not tell|api[ _-]?keys?|password|exfiltrate|send (?:the|all|your))`,
    ],
    [
      'shell-pipe',
      'low',
      'has a command that runs what it downloads, or deletes all',
      ['curl ', 'wget ', 'rm -rf', 'base64 -d', 'base64 --decode', 'powershell -e', 'nc -e', '/dev/tcp/', 'iex('],
      '(?:(?:curl|wget) [^\\n|]{0,200}\\| ?(?:sudo )?(?:ba|z|da)?sh\\b|(?:curl|wget) [^\\n]{0,120}(?:-d|--data(?:-binary|-raw)?|-F|-T|--upload-file|--post-file=?) ?[@"\'$][^\\n]{0,80}|rm -rf (?:--no-preserve-root )?(?:~|/|\\$HOME)(?:\\s|$)|base64 (?:-d|--decode)\\s?\\| ?(?:ba|z)?sh\\b|powershell -e(?:nc|ncodedcommand)? [A-Za-z0-9+/=]{20,40}|nc -e |/dev/tcp/\\d|iex\\()',
    ],
  ]

/** The ids of all rules with their meaning, for people. */
export const markMeanings: ReadonlyMap<string, string> = new Map(
  [...phrases, ...patterns].map(([id, , says]) => [id, says]),
)

/** Compiles the rules. That takes some 20 ms, so it is not done at import. */
export function compileMarkRules(): MarkRule[] {
  return [
    ...phrases.flatMap(([id, severity, , ...all]) =>
      all.map((each) => ({ id, severity, anchors: anchorsOf(each), pattern: sticky(() => sourceOf(each)) })),
    ),
    ...patterns.map(([id, severity, , anchors, source]) => ({ id, severity, anchors, pattern: sticky(() => source) })),
  ]
}

/** Compiled when it is first tried: most texts have the anchors of a few rules only. */
function sticky(source: () => string): () => RegExp {
  let pattern: RegExp | undefined
  return () => (pattern ??= new RegExp(source(), 'iuy'))
}

function wordsIn(group: string): string[] {
  return group.split('|').flatMap((word) => {
    const list = /^\{(\w+)\}$/.exec(word)?.[1]
    return list === undefined ? [word.replaceAll('_', ' ')] : wordsIn(lists[list] ?? '')
  })
}

/** The first words of a phrase. The search ignores case only in ASCII, so other scripts get both cases. */
function anchorsOf(phrase: string): string[] {
  const words = wordsIn(phrase.split(' ', 1)[0] ?? '')
  return [...new Set(words.flatMap((word) => [word, word.replace(/^[^\p{ASCII}]/u, (first) => first.toUpperCase())]))]
}

/** The pattern of a phrase, with up to three blanks between its groups. */
function sourceOf(phrase: string): string {
  const [first = '', ...rest] = phrase.split(' ')
  let source = groupOf(first)
  for (const group of rest) {
    if (group === '…') source += gap(40)
    else if (group.endsWith('?')) source += `(?:${blanks}${groupOf(group.slice(0, -1))})?`
    else source += source.endsWith(gap(40)) ? groupOf(group) : blanks + groupOf(group)
  }
  return source
}

/** Any word of a group. In a script with cases the match must start at the beginning of a word. */
function groupOf(group: string): string {
  const words = wordsIn(group).map((word) => word.replaceAll(/[.$[\](){}*+?^\\/]/g, '\\$&').replaceAll(' ', '\\s'))
  const starts = /^[\p{Ll}]/u.test(words[0] ?? '') ? '(?<![\\p{L}\\p{N}_])' : ''
  return `${starts}(?:${words.join('|')})`
}
