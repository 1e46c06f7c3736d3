import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SkillFolder, SkillHead } from '#core/skill.ts'
import { readSkill, skillNameFault, skillText } from '#skills/format.ts'
import { folderOf, skillFolder } from './folders.ts'

const plain = 'name: pdf\ndescription: Reads PDF files.'
const withHead = (head: string, body = '\nText.\n'): SkillFolder =>
  folderOf('pdf', { 'SKILL.md': `---\n${head}\n---\n${body}` })
const base: SkillHead = { name: 'pdf', description: 'Reads PDF files.' }

const valid: readonly [what: string, folder: SkillFolder, head: SkillHead, body?: string][] = [
  ['the least', withHead(plain), base],
  ['a license', withHead(`${plain}\nlicense: Apache-2.0`), { ...base, license: 'Apache-2.0' }],
  ['a license that is a number', withHead(`${plain}\nlicense: 2.5`), { ...base, license: '2.5' }],
  ['a compatibility', withHead(`${plain}\ncompatibility: needs git`), { ...base, compatibility: 'needs git' }],
  [
    'metadata, with a number and a list in it',
    withHead(`${plain}\nmetadata:\n  author: me\n  version: 1.5\n  tags: [a, b]`),
    { ...base, metadata: { author: 'me', version: '1.5', tags: '["a","b"]' } },
  ],
  ['tools by spaces', withHead(`${plain}\nallowed-tools: Read Write`), { ...base, allowedTools: ['Read', 'Write'] }],
  ['tools by commas', withHead(`${plain}\nallowed-tools: Read, Write`), { ...base, allowedTools: ['Read', 'Write'] }],
  [
    'tools as a list',
    withHead(`${plain}\nallowed-tools:\n  - Read\n  - time`),
    { ...base, allowedTools: ['Read', 'time'] },
  ],
  [
    'tools with patterns',
    withHead(`${plain}\nallowed-tools: Bash(git add:*) Bash(jq:*), Read`),
    { ...base, allowedTools: ['Bash(git add:*)', 'Bash(jq:*)', 'Read'] },
  ],
  ['tools under the other name', withHead(`${plain}\nallowedTools: time`), { ...base, allowedTools: ['time'] }],
  ['no tools at all', withHead(`${plain}\nallowed-tools: ""`), { ...base, allowedTools: [] }],
  ['an empty optional field', withHead(`${plain}\nlicense:`), base],
  ['a folded description', withHead('name: pdf\ndescription: >\n  Reads\n  PDF files.'), base],
  ['a quoted description', withHead('name: "pdf"\ndescription: \'Reads PDF files.\''), base],
  [
    'a colon in an unquoted description',
    withHead('name: pdf\ndescription: Use when: a PDF comes'),
    { ...base, description: 'Use when: a PDF comes' },
  ],
  [
    'a description that begins with a bracket, and a hint of two',
    withHead(
      'name: pdf\ndescription: [Internal] Reads: all\nargument-hint: [file] [--deep]\nallowed-tools: [Read, time]',
    ),
    { ...base, description: '[Internal] Reads: all', allowedTools: ['Read', 'time'] },
  ],
  [
    'a colon in the tools',
    withHead(`${plain}\nallowed-tools: Bash(git add: *), Read`),
    { ...base, allowedTools: ['Bash(git add: *)', 'Read'] },
  ],
  [
    'tools with a pattern that has no end',
    withHead(`${plain}\nallowed-tools: "Read Bash(${'git '.repeat(100)}"`),
    { ...base, allowedTools: ['Read', `Bash(${'git '.repeat(100)}`] },
  ],
  [
    'tools with a long pattern',
    withHead(`${plain}\nallowed-tools: "Bash(${'x'.repeat(300)}) Read"`),
    { ...base, allowedTools: [`Bash(${'x'.repeat(300)})`, 'Read'] },
  ],
  [
    'a colon in one line, and another that goes on below',
    withHead('name: pdf\ndescription: Use when: a PDF comes\nlicense: MIT\n  or ISC'),
    { ...base, description: 'Use when: a PDF comes', license: 'MIT or ISC' },
  ],
  ['a comment', withHead(`# ours\n${plain} # all of them`), base],
  ['fields that others use', withHead(`${plain}\nargument-hint: [file]\nmodel: sonnet`), base],
  [
    'lines that end with CRLF',
    folderOf('pdf', { 'SKILL.md': `---\r\nname: pdf\r\ndescription: Reads PDF files.\r\n---\r\nText.` }),
    base,
  ],
  ['a byte order mark', folderOf('pdf', { 'SKILL.md': `\uFEFF---\n${plain}\n---\nText.` }), base],
  ['blanks behind the dashes', folderOf('pdf', { 'SKILL.md': `---  \n${plain}\n--- \nText.` }), base],
  ['no text', withHead(plain, ''), base, ''],
  ['a ruler in the text', withHead(plain, 'One.\n\n---\n\nTwo.\n'), base, 'One.\n\n---\n\nTwo.'],
  [
    'a name of digits',
    folderOf('42', { 'SKILL.md': '---\nname: 42\ndescription: x\n---\nText.' }),
    { name: '42', description: 'x' },
  ],
  [
    'a name of 64',
    folderOf('a'.repeat(64), { 'SKILL.md': `---\nname: ${'a'.repeat(64)}\ndescription: x\n---\nText.` }),
    { name: 'a'.repeat(64), description: 'x' },
  ],
  [
    'a description of 1,024',
    withHead(`name: pdf\ndescription: ${'x'.repeat(1_024)}`),
    { ...base, description: 'x'.repeat(1_024) },
  ],
  [
    'a description of 1,024 emoji',
    withHead(`name: pdf\ndescription: ${'😀'.repeat(1_024)}`),
    { ...base, description: '😀'.repeat(1_024) },
  ],
  [
    'other letters',
    withHead('name: pdf\ndescription: Liest PDF-Dateien – 読む.'),
    { ...base, description: 'Liest PDF-Dateien – 読む.' },
  ],
  [
    'files beside it',
    skillFolder('notes', { files: { 'scripts/run.py': 'x', 'a/b/c.bin': new Uint8Array([0, 255]) } }),
    { name: 'notes', description: 'Does notes.' },
    'How to notes.',
  ],
  [
    '200 files',
    skillFolder('many', { files: filesOf(199) }),
    { name: 'many', description: 'Does many.' },
    'How to many.',
  ],
]
for (const [what, folder, head, body = 'Text.'] of valid) {
  test(`read: ${what}`, async () => {
    const { skill, findings } = await readSkill(folder)
    assert.deepEqual(
      findings.filter(({ level }) => level === 'fault'),
      [],
    )
    assert.deepEqual(skill, { head, body })
  })
}

const broken: readonly [what: string, folder: SkillFolder, fault: string][] = [
  ['an empty folder', folderOf('pdf', {}), 'SKILL.md: there is no SKILL.md in the folder'],
  [
    'another spelling',
    folderOf('pdf', { 'skill.md': 'x' }),
    'SKILL.md: there is no SKILL.md in the folder, but skill.md',
  ],
  [
    'a skill one folder down',
    folderOf('pdf', { 'a/SKILL.md': 'x' }),
    'SKILL.md: there is no SKILL.md in the folder, but a/SKILL.md',
  ],
  ['no head', folderOf('pdf', { 'SKILL.md': '# PDF\n' }), 'SKILL.md:1: it does not begin with a line of ---'],
  ['an empty file', folderOf('pdf', { 'SKILL.md': '' }), 'SKILL.md:1: it does not begin with a line of ---'],
  [
    'a head without an end',
    folderOf('pdf', { 'SKILL.md': `---\n${plain}\n` }),
    'SKILL.md:1: no line of --- ends the head',
  ],
  ['an empty head', withHead(''), 'SKILL.md:1: the head is not a list of names and values'],
  ['a head that is a list', withHead('- a\n- b'), 'SKILL.md:1: the head is not a list of names and values'],
  ['no name', withHead('description: x'), 'SKILL.md:1: name is missing'],
  ['no description', withHead('name: pdf'), 'SKILL.md:1: description is missing'],
  ['an empty description', withHead('name: pdf\ndescription: "  "'), 'SKILL.md:3: description is empty'],
  ['a description that is a list', withHead('name: pdf\ndescription: [a]'), 'SKILL.md:3: description is not a text'],
  [
    'a long description',
    withHead(`name: pdf\ndescription: ${'x'.repeat(1_025)}`),
    'SKILL.md:3: description has 1025 characters, at most 1024 are taken',
  ],
  [
    'a long description of emoji',
    withHead(`name: pdf\ndescription: ${'😀'.repeat(1_025)}`),
    'SKILL.md:3: description has 1025 characters, at most 1024 are taken',
  ],
  [
    'a long compatibility',
    withHead(`${plain}\ncompatibility: ${'x'.repeat(501)}`),
    'SKILL.md:4: compatibility has 501 characters, at most 500 are taken',
  ],
  [
    'another folder',
    folderOf('docs', { 'SKILL.md': `---\n${plain}\n---\n` }),
    'SKILL.md:2: name is pdf, the folder is "docs": both must be the same',
  ],
  ...['PDF', 'a_b', 'a b', '-a', 'a-', 'a--b', 'ä', 'a/b', '../a'].map((name): [string, SkillFolder, string] => [
    `the name ${name}`,
    folderOf(name, { 'SKILL.md': `---\nname: ${JSON.stringify(name)}\ndescription: x\n---\n` }),
    `SKILL.md:2: name is ${JSON.stringify(name)}: a name has 1 to 64 of a-z, 0-9 and single hyphens, none at its ends`,
  ]),
  [
    'a name of 65',
    folderOf('a'.repeat(65), { 'SKILL.md': `---\nname: ${'a'.repeat(65)}\ndescription: x\n---\n` }),
    'SKILL.md:2: name has 65 characters, at most 64 are taken',
  ],
  [
    'the name of a command',
    folderOf('help', { 'SKILL.md': '---\nname: help\ndescription: x\n---\n' }),
    'SKILL.md:2: name is "help": /help is a command: choose another name',
  ],
  [
    'a name twice',
    withHead('name: pdf\ndescription: x\nname: pdf'),
    'SKILL.md:4: the head has "name" twice: keep one of them',
  ],
  [
    'metadata that is a text',
    withHead(`${plain}\nmetadata: me`),
    'SKILL.md:4: metadata is not a list of names and values',
  ],
  [
    'tools that are numbers',
    withHead(`${plain}\nallowed-tools: [1, 2]`),
    'SKILL.md:4: allowed-tools is neither a text nor a list of texts',
  ],
  [
    'metadata with 51 entries',
    withHead(`${plain}\nmetadata:\n${Array.from({ length: 51 }, (_, at) => `  k${at}: v`).join('\n')}`),
    'SKILL.md:4: metadata has 51 entries, at most 50 are taken',
  ],
  [
    '101 tools',
    withHead(`${plain}\nallowed-tools: ${Array.from({ length: 101 }, (_, at) => `t${at}`).join(' ')}`),
    'SKILL.md:4: allowed-tools has 101 tools, at most 100 are taken',
  ],
  [
    'a colon in a line, which quotes would mend if a list below were in one line',
    withHead('name: pdf\ndescription: Use when: x\ntags: [a,\nb]'),
    'SKILL.md:3: the head is not YAML: Nested mappings',
  ],
  [
    'a tab for a space',
    withHead('name: pdf\ndescription: x\nmetadata:\n\tauthor: me'),
    'SKILL.md:5: the head is not YAML: Tabs are not allowed as indentation',
  ],
  ['an open quote', withHead('name: pdf\ndescription: "x'), 'SKILL.md:3: the head is not YAML: Missing closing "quote'],
  [
    'aliases',
    withHead('name: pdf\ndescription: x\nmetadata: &a {b: *a}'),
    'SKILL.md:4: metadata has an alias: write the value out',
  ],
  [
    'a long head',
    withHead(`${plain}\nmetadata:\n${'  a: b\n'.repeat(3_000)}`),
    'SKILL.md:1: the head has 21050 characters, at most 16384 are read',
  ],
  [
    'other bytes',
    folderOf('pdf', { 'SKILL.md': new Uint8Array([0x2d, 0xff, 0xfe]) }),
    'SKILL.md: it is not UTF-8 text',
  ],
  ['a NUL', withHead(plain, 'a\0b'), 'SKILL.md: it is not UTF-8 text'],
  [
    'a long SKILL.md',
    withHead(plain, 'x'.repeat(256 * 1024)),
    'SKILL.md: it has 262192 bytes, at most 262144 are read: put parts of it into files beside it',
  ],
  ['a path that leaves', skillFolder('pdf', { files: { '../a': 'x' } }), '../a: the path leaves the folder'],
  ['a path from the root', skillFolder('pdf', { files: { '/etc/a': 'x' } }), '/etc/a: the path leaves the folder'],
  [
    'a path with a backslash',
    skillFolder('pdf', { files: { 'a\\b': 'x' } }),
    'a\\b: the path has a control character, a hidden one or a backslash',
  ],
  [
    'a path with a hidden character',
    skillFolder('pdf', { files: { 'a\u200bb': 'x' } }),
    'a\u200bb: the path has a control character, a hidden one or a backslash',
  ],
  [
    'a path twice',
    { name: 'pdf', files: [...withHead(plain).files, ...withHead(plain).files] },
    'SKILL.md: the path occurs twice',
  ],
  [
    'a path that is a file and a folder',
    skillFolder('pdf', { files: { a: 'x', 'a/b': 'y' } }),
    'a: the path is a file and a folder',
  ],
  ['a path with a drive', skillFolder('pdf', { files: { 'c:a': 'x' } }), 'c:a: the path names a drive'],
  [
    'a long path',
    skillFolder('pdf', { files: { ['a'.repeat(201)]: 'x' } }),
    `${'a'.repeat(200)}: a path has 1 to 200 characters`,
  ],
  [
    '201 files',
    skillFolder('pdf', { files: filesOf(200) }),
    'SKILL.md: the folder has 201 files, a skill has at most 200',
  ],
  [
    '11 MiB',
    skillFolder('pdf', { files: { 'a.bin': new Uint8Array(11 * 1024 * 1024) } }),
    'SKILL.md: the folder has 11534390 bytes, a skill has at most 10485760',
  ],
]
for (const [what, folder, fault] of broken) {
  test(`refused: ${what}`, async () => {
    const { skill, findings } = await readSkill(folder)
    assert.equal(skill, undefined)
    const faults = findings.filter(({ level }) => level === 'fault')
    assert.ok(faults.length > 0)
    assert.ok(
      faults.some(({ file, line, message }) =>
        `${file}${line === undefined ? '' : `:${line}`}: ${message}`.startsWith(fault),
      ),
      JSON.stringify(faults),
    )
  })
}

test('the folders of the tables are at least forty', () => {
  assert.ok(valid.length >= 20 && broken.length >= 20)
})

test('a field that is not used and a line read as quoted are notes', async () => {
  const { findings } = await readSkill(withHead('name: pdf\ndescription: Use when: it rains\nmodel: x'))
  assert.deepEqual(
    findings.map(({ level, line }) => [level, line]),
    [
      ['note', 3],
      ['note', 4],
    ],
  )
})

test('a skill without a text is one, and a note names the line where the text would begin', async () => {
  const { skill, findings } = await readSkill(withHead(plain, '\n \n'))
  assert.equal(skill?.body, '')
  assert.deepEqual(findings, [{ level: 'note', file: 'SKILL.md', line: 4, message: 'there is no text after the head' }])
})

test('what the agent writes is read back word for word', async () => {
  const head = { name: 'mine', description: 'Quotes "and": colons\nand lines' }
  const folder = folderOf('mine', { 'SKILL.md': skillText(head, '  # Steps\n\n1. Go.  ') })
  const { skill } = await readSkill(folder)
  assert.deepEqual(skill, { head, body: '# Steps\n\n1. Go.' })
})

test('a name of a command has its fault', () => {
  assert.match(skillNameFault('model') ?? '', /is a command/)
  assert.equal(skillNameFault('modelling'), undefined)
})

function filesOf(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`files/${at}.md`, 'x']))
}
