// Faults planted in the pages, in how they are served, and in the words of an approval.
import type { Mutant } from './mutant.ts'

const pages = { file: 'src/doors/web/pages.ts', tests: ['test/doors/web/pages.test.ts'] }
const asking = { file: 'web/lib/asking.ts', tests: ['test/web/asking.test.ts'] }
const receipt = { file: 'web/lib/receipt.ts', tests: ['test/web/lib/receipt.test.ts'] }
const failure = { file: 'web/lib/failure.ts', tests: ['test/web/lib/failure.test.ts'] }
const conversation = { file: 'web/lib/conversation.ts', tests: ['test/web/conversation.test.ts'] }

export const mutants: readonly Mutant[] = [
  {
    says: 'pages may run scripts of their text',
    from: `"script-src 'self'",`,
    to: `"script-src 'self' 'unsafe-inline'",`,
    ...pages,
  },
  { says: 'pages may be framed', from: `"frame-ancestors 'none'",`, to: '', ...pages },
  { says: 'pages may ask other hosts', from: `"connect-src 'self'",`, to: `"connect-src *",`, ...pages },
  { says: 'files beside the assets are served', from: '!/^[\\w-]+(\\.[\\w-]+)+$/.test(name)', to: 'false', ...pages },
  {
    says: 'the page is kept by browsers for good',
    from: "const again = 'no-cache'",
    to: "const again = 'public, max-age=31536000'",
    ...pages,
  },
  { says: 'a packed form is sent to a browser that refuses it', from: '!rest.some(', to: 'rest.every(', ...pages },
  {
    says: 'without a build nothing is said',
    from: "if (!found && name === 'index.html')",
    to: "if (!found && name === '')",
    ...pages,
  },
  {
    says: 'a repeated chat message is sent twice',
    file: 'src/doors/web/chat.ts',
    from: "const key = request.headers['idempotency-key']",
    to: 'const key = undefined as string | undefined',
    tests: ['test/doors/web/chat.test.ts'],
  },
  {
    says: 'the body of a request to be approved is not shown',
    from: "rest: (request[3] ?? '').trim()",
    to: "rest: ''",
    ...asking,
  },
  {
    says: 'the end of a command to be approved is not shown',
    from: "command: run[1] ?? ''",
    to: "command: (run[1] ?? '').split('\\n', 1)[0] ?? ''",
    ...asking,
  },
  {
    says: 'a removed line looks like one that stays',
    from: "else if (line.startsWith('-')) lines.push({ sign: '-'",
    to: "else if (line.startsWith('-')) lines.push({ sign: ' '",
    ...asking,
  },
  { says: 'a denied call looks failed', from: "state === 'denied' ? 'denied' :", to: '', ...conversation },
  {
    says: 'a call that waits looks as if it ran',
    from: "if (item.type === 'gate') state = 'waiting'",
    to: '',
    ...conversation,
  },
  {
    says: 'a receipt counts the requests of its last call alone',
    from: '(times.get(each.method) ?? 0) + each.times',
    to: 'each.times',
    ...receipt,
  },
  {
    says: 'a receipt calls fenced what was written here',
    from: 'origin === undefined ? [] : [name]',
    to: 'origin === undefined ? [name] : []',
    ...receipt,
  },
  {
    says: 'a receipt forgets what its calls did',
    file: 'src/agent/settle.ts',
    from: 'effects: effectsOf(tool, call.args),',
    to: '',
    tests: ['test/turns/receipt.test.ts'],
  },
  {
    says: 'a receipt names no host that a redirect led to',
    file: 'src/net/fetch.ts',
    from: 'await hop(request, signal, sending)',
    to: 'await hop(request, signal, request === first ? sending : undefined)',
    tests: ['test/net/fetch.test.ts'],
  },
  {
    says: 'a receipt of the web tools has no requests',
    file: 'src/tools/web/request.ts',
    from: '(sent) => used?.({ sent: [sent] })',
    to: '() => undefined',
    tests: ['test/tools/web/request.test.ts'],
  },
  {
    says: 'a capped turn is sent on where that cannot help',
    from: "what && message.includes('send a message to go on')",
    to: 'what',
    ...failure,
  },
  {
    says: 'a capped turn does not tell how far it came',
    from: 'const kept = steps\n',
    to: 'const kept = !steps\n',
    ...failure,
  },
  {
    says: 'a capped turn leaves no way to go on in the page',
    file: 'web/parts/failure.tsx',
    from: 'goOn !== undefined && isLast &&',
    to: 'goOn === undefined && isLast &&',
    tests: ['test/web/chat.test.ts'],
  },
  {
    says: 'another model is offered where the environment decides',
    from: "if (model.chosen_by === 'environment') return undefined",
    to: '',
    ...failure,
  },
  {
    says: 'nobody is told that a call can only be allowed once',
    from: "'. It can only be allowed once.'",
    to: "''",
    ...asking,
  },
  {
    says: 'whoever answers an approval by the keyboard loses their place',
    file: 'web/parts/approval.tsx',
    from: 'if (mine?.contains(document.activeElement))',
    to: 'if (mine?.contains(document.body))',
    tests: ['test/web/waiting.test.ts'],
  },
  {
    says: 'files that were chosen for one thread go with another',
    file: 'web/store/files.ts',
    from: 'return chosen.value.get(draft) ?? []',
    to: 'return [...chosen.value.values()].flat()',
    tests: ['test/web/chat.test.ts'],
  },
  {
    says: 'only the first message of a given history is shown',
    from: 'if (!now || begins ||',
    to: 'if (!now ||',
    ...conversation,
  },
  {
    says: 'over plain HTTP from another machine nothing can be sent',
    file: 'web/lib/key.ts',
    from: "Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')",
    to: 'crypto.randomUUID()',
    tests: ['test/web/chat.test.ts'],
  },
  {
    says: 'files without words do not go, and nobody is told why',
    file: 'web/parts/composer.tsx',
    from: 'if (!ready) return files > 0 ?',
    to: 'if (!ready) return files > 99 ?',
    tests: ['test/web/chat.test.ts'],
  },
  {
    says: 'Allow for… stays open behind whoever has left it',
    file: 'web/parts/menu.tsx',
    from: "around?.addEventListener('focusout', left)",
    to: "around?.addEventListener('focusin', left)",
    tests: ['test/web/waiting.test.ts'],
  },
  {
    says: 'a text has headings of the rank of the page',
    file: 'web/lib/markdown.ts',
    from: 'Math.min(6, depth + headingsAbove)',
    to: 'depth',
    tests: ['test/web/chat.test.ts'],
  },
  {
    says: 'a receipt keeps silent about the host of the model',
    file: 'src/agent/ask.ts',
    from: 'const by = { model: answered, ...(via && { via }) }',
    to: 'const by = { model: answered }',
    tests: ['test/doors/web/receipts.test.ts'],
  },
  {
    says: 'another model that answered is told with the host of the first',
    file: 'src/models/fallback.ts',
    from: 'model: name, ...(via && { via }) }',
    to: 'model: name }',
    tests: ['test/models/open.test.ts'],
  },
  {
    says: 'hosts of models are not counted among those that were told something',
    from: '...model_calls.flatMap(({ host }) => host ?? [])',
    to: '',
    ...receipt,
  },
]
