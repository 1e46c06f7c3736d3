// The questions of tools: what a change of a file or a request would do, in words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLeakScan } from '#safety/leaks.ts'
import { checkOutgoing, typeOf } from '#tools/web/answer.ts'
import { requestQuestion } from '#tools/web/request-question.ts'
import { changeQuestion } from '#tools/workspace/change-question.ts'

const end = 'The file is untouched until you answer.'
for (const [before, after, text, sentence] of [
  [undefined, 'a\n', 'Create a.md?', `Writes 1 line to a new file in the workspace folder. ${end}`],
  [undefined, 'a\nb\n', 'Create a.md?', `Writes 2 lines to a new file in the workspace folder. ${end}`],
  ['a\n', 'a\n', 'Change a.md?', `Changes a file in the workspace folder. ${end}`],
  ['a\n', 'a\nb\nc\n', 'Change a.md?', `Adds 2 lines in the workspace folder. ${end}`],
  ['a\nb\n', 'a\n', 'Change a.md?', `Removes 1 line in the workspace folder. ${end}`],
  ['a\nb\n', 'c\n', 'Change a.md?', `Replaces 2 lines with 1 in the workspace folder. ${end}`],
] as const) {
  test(`${JSON.stringify(before)} to ${JSON.stringify(after)}: ${sentence}`, () => {
    const { question, preview } = changeQuestion('a.md', { before, after })
    assert.deepEqual([question.text, question.sentence], [text, sentence])
    assert.equal(question.brief, before === undefined ? 'Create a file' : 'Change a file')
    assert.ok(preview?.type === 'diff' && preview.path === 'a.md')
  })
}

const gitHub = 'https://api.github.com/repos/ada/engine'
for (const [method, url, text, brief, host] of [
  ['POST', `${gitHub}/issues`, 'Open an issue in ada/engine on GitHub?', 'Open an issue on GitHub', 'api.github.com'],
  [
    'POST',
    `${gitHub}/pulls`,
    'Open a pull request in ada/engine on GitHub?',
    'Open a pull request on GitHub',
    'api.github.com',
  ],
  [
    'POST',
    `${gitHub}/releases`,
    'Publish a release in ada/engine on GitHub?',
    'Publish a release on GitHub',
    'api.github.com',
  ],
  [
    'POST',
    `${gitHub}/hooks`,
    'Send a POST request to api.github.com?',
    'Send a request to api.github.com',
    'api.github.com',
  ],
  [
    'PUT',
    `${gitHub}/issues`,
    'Send a PUT request to api.github.com?',
    'Send a request to api.github.com',
    'api.github.com',
  ],
  [
    'POST',
    `${gitHub}/issues/1`,
    'Send a POST request to api.github.com?',
    'Send a request to api.github.com',
    'api.github.com',
  ],
  ['GET', `${gitHub}/issues`, 'Open a page of api.github.com?', 'Open a page of api.github.com', 'api.github.com'],
  ['HEAD', 'https://a.test:8080/', 'Open a page of a.test:8080?', 'Open a page of a.test:8080', 'a.test:8080'],
  ['DELETE', 'nonsense', 'Send a DELETE request to nonsense?', 'Send a request to nonsense', 'nonsense'],
] as const) {
  test(`${method} ${url}: ${text}`, () => {
    const pending = 'Nothing has been sent yet.'
    const does = `Sends this request to ${host}.`
    assert.deepEqual(requestQuestion(method, url), { text, brief, sentence: `${does} ${pending}`, does, host, pending })
  })
}

test('the type of an answer is read without its parameters, in lower case', () => {
  for (const [given, type] of [
    ['Text/HTML; charset=utf-8', 'text/html'],
    [' application/json ', 'application/json'],
    [undefined, ''],
  ] as const) {
    const headers = new Map(given === undefined ? [] : [['content-type', given]])
    assert.equal(typeOf({ headers } as never), type)
  }
})

test('a request with a secret in it is refused', async () => {
  const scan = createLeakScan(['correct horse battery'])
  await checkOutgoing(['https://a.test/', 'correct horse'], scan)
  await assert.rejects(checkOutgoing(['https://a.test/', 'x correct horse battery'], scan), {
    code: 'tool_refused',
    message: /^the request carries a secret \(/,
  })
})
