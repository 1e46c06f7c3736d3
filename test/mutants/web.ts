// Faults planted in the pages, in how they are served, and in the words of an approval.
import type { Mutant } from './mutant.ts'

const pages = { file: 'src/doors/web/pages.ts', tests: ['test/doors/web/pages.test.ts'] }
const asking = { file: 'web/lib/asking.ts', tests: ['test/web/asking.test.ts'] }
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
    says: 'only the first message of a given history is shown',
    from: 'if (!now || begins ||',
    to: 'if (!now ||',
    ...conversation,
  },
]
