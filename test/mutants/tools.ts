// Faults in the agent's hands: the web, the workspace, the shell, and what is shown before a change.
import type { Mutant } from './mutant.ts'

const fetch = ['test/net/fetch.test.ts']
const web = ['test/tools/web/fetch.test.ts']
const request = ['test/tools/web/request.test.ts']
const workspace = ['test/tools/workspace/tools.test.ts']
const shell = ['test/tools/workspace/shell.test.ts']
const turns = ['test/tools/turns.test.ts']
const hall = ['test/hall/tools.test.ts']

export const mutants: readonly Mutant[] = [
  {
    says: 'a private address is reached by its literal',
    file: 'src/net/fetch.ts',
    from: '    if (kind) return blocked(`${request.target.host} is a ${kind} address`)\n',
    to: '',
    tests: fetch,
  },
  {
    says: 'a listed name may lead to a metadata service',
    file: 'src/net/dial.ts',
    from: "listed ? kind === 'metadata' : kind !== wanted",
    to: '!listed && kind !== wanted',
    tests: fetch,
  },
  {
    says: 'a sixth redirect is followed',
    file: 'src/net/fetch.ts',
    from: 'hops === maxRedirects',
    to: 'hops > maxRedirects',
    tests: fetch,
  },
  {
    says: 'a credential goes along to another origin',
    file: 'src/net/fetch.ts',
    from: '(!foreign || plainHeaders.includes(name))',
    to: '(!foreign || name.length > 0)',
    tests: fetch,
  },
  {
    says: 'a body is sent on to another origin',
    file: 'src/net/fetch.ts',
    from: '  if (!reads && keeps && foreign) return undefined\n',
    to: '',
    tests: fetch,
  },
  {
    says: 'a request has no deadline',
    file: 'src/net/fetch.ts',
    from: 'withDeadline(timeoutMs, signal,',
    to: 'withDeadline(10 * timeoutMs, signal,',
    tests: fetch,
  },
  {
    says: 'a deep page keeps its reader busy until it is given up',
    file: 'src/tools/web/page.ts',
    from: "isDeeper(document, maxReadDepth) ? ''",
    to: "isDeeper(document, 10_000) ? ''",
    tests: web,
  },
  {
    says: 'a page is never read as an article',
    file: 'src/tools/web/page.ts',
    from: 'article.length >= whole.length * minArticleShare',
    to: 'article.length > 1_000_000',
    tests: web,
  },
  {
    says: 'the encoding that a page names is not asked',
    file: 'src/tools/web/decode.ts',
    from: '?? ownWord(bytes)\n',
    to: '\n',
    tests: web,
  },
  {
    says: 'a secret goes out in an address',
    file: 'src/tools/web/fetch.ts',
    from: '      checkOutgoing([url], scan(user))\n',
    to: '',
    tests: web,
  },
  {
    says: 'a request to change something counts as reading',
    file: 'src/tools/web/request.ts',
    from: '/^(?:get|head)$/i.test(method)',
    to: '/^(?:get|head|options)$/i.test(method)',
    tests: request,
  },
  {
    says: 'a header names another host',
    file: 'src/tools/web/request.ts',
    from: '/^(?:host|connection|',
    to: '/^(?:connection|',
    tests: request,
  },
  {
    says: 'an unknown parameter is passed over',
    file: 'src/tools/params.ts',
    from: '    if (!field) throw wrong(',
    to: '    if (!field) continue\n    if (!field) throw wrong(',
    tests: request,
  },
  {
    says: 'a link leads out of the workspace',
    file: 'src/tools/workspace/place.ts',
    from: '  if (place !== top && !place.startsWith(top.endsWith(sep) ? top : top + sep)) {',
    to: '  if (place === sep) {',
    tests: workspace,
  },
  {
    says: 'a folder beside the workspace whose name begins alike is inside',
    file: 'src/tools/workspace/place.ts',
    from: 'top.endsWith(sep) ? top : top + sep',
    to: 'top',
    tests: workspace,
  },
  {
    says: 'a path may go up',
    file: 'src/tools/workspace/path.ts',
    from: "  if (names.includes('..'))",
    to: "  if (names.includes('...'))",
    tests: workspace,
  },
  {
    says: 'a pipe is opened and waited for',
    file: 'src/tools/workspace/place.ts',
    from: '  if (!file.isFile()) throw',
    to: '  if (file.isSocket()) throw',
    tests: workspace,
  },
  {
    says: 'a file loses its mode',
    file: 'src/tools/workspace/write.ts',
    from: 'before ? before.mode & 0o777 : usualMode',
    to: 'usualMode',
    tests: workspace,
  },
  {
    says: 'what is replaced is read as a pattern of replacement',
    file: 'src/tools/workspace/tools.ts',
    from: 'text.replaceAll(find, () => replace)',
    to: 'text.replaceAll(find, replace)',
    tests: workspace,
  },
  {
    says: 'a text that occurs twice is replaced anywhere',
    file: 'src/tools/workspace/tools.ts',
    from: '  if (count > 1 && !all) {',
    to: '  if (count > 2 && !all) {',
    tests: workspace,
  },
  {
    says: 'a binary file is read as text',
    file: 'src/lib/utf8.ts',
    from: 'fatal: true',
    to: 'fatal: false',
    tests: workspace,
  },
  {
    says: 'a search has no end',
    file: 'src/tools/work.ts',
    from: "  signal.addEventListener('abort', late, { once: true })\n",
    to: '',
    tests: workspace,
  },
  {
    says: 'the environment of the service reaches a command',
    file: 'src/tools/workspace/shell.ts',
    from: 'cwd, env, detached',
    to: 'cwd, detached',
    tests: shell,
  },
  {
    says: 'only the first process of a command is ended',
    file: 'src/tools/workspace/shell.ts',
    from: "process.kill(-pid, 'SIGKILL')",
    to: "process.kill(pid, 'SIGKILL')",
    tests: shell,
  },
  {
    says: 'the output of a command is kept whole',
    file: 'src/tools/workspace/shell.ts',
    from: '      tail = tail.slice(-maxPartChars)\n',
    to: '',
    tests: shell,
  },
  {
    says: 'others than the operator have the shell',
    file: 'src/hall/tools.ts',
    from: 'user === operator ? all : common',
    to: 'user === operator ? all : all',
    tests: hall,
  },
  {
    says: 'a gate does not show what the call would do',
    file: 'src/agent/settle.ts',
    from: '      ...(preview && { preview: capped(mask(preview), maxPreviewChars) }),\n',
    to: '',
    tests: turns,
  },
  {
    says: 'a call that was refused for its arguments ends the turn',
    file: 'src/agent/loop.ts',
    from: "return move.do === 'wait' || move.do === 'stop' ? { outcome: restOf(move) } : {}",
    to: 'return { outcome: restOf(move) }',
    tests: turns,
  },
]
