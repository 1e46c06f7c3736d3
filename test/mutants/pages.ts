// The pages of the browser app beside the chat.
import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    says: 'the first day of a span is left out of its sums',
    file: 'web/lib/usage.ts',
    from: 'rows.filter(({ date }) => date >= first)',
    to: 'rows.filter(({ date }) => date > first)',
    tests: ['test/web/lib/usage.test.ts'],
  },
  {
    says: 'a price that nobody knows is not told',
    file: 'web/lib/usage.ts',
    from: 'recent.some(({ cost_usd }) => cost_usd === null)',
    to: 'recent.some(({ cost_usd }) => cost_usd === 0)',
    tests: ['test/web/lib/usage.test.ts'],
  },
  {
    says: 'a search marks words by their middle',
    file: 'web/lib/found.ts',
    from: '(?<![\\\\p{L}\\\\p{N}])',
    to: '',
    tests: ['test/web/lib/found.test.ts'],
  },
  {
    says: 'a document that somebody else has changed is overwritten unasked',
    file: 'web/store/memory.ts',
    from: 'if (at !== expected.at) throw',
    to: 'if (at === null) throw',
    tests: ['test/web/memory.test.ts'],
  },
  {
    says: 'the text of a document is put into the page as HTML',
    file: 'web/pages/document.tsx',
    from: '<Markdown text={content} />',
    to: '<div dangerouslySetInnerHTML={{ __html: content }} />',
    tests: ['test/web/memory.test.ts'],
  },
  {
    says: 'jobs are not searched by their words',
    file: 'web/store/job-list.ts',
    from: 'words.value.every((word) => text.includes(word))',
    to: 'words.value.every((word) => text !== word)',
    tests: ['test/web/jobs.test.ts'],
  },
  {
    says: 'a user is said to be removed and stays',
    file: 'web/pages/settings-users.tsx',
    from: 'await removeUser(name)',
    to: 'await Promise.resolve()',
    tests: ['test/web/settings.test.ts'],
  },
  {
    says: 'a second refusal makes an ended session look like none',
    file: 'web/store/session.ts',
    from: "if (standing.value.type !== 'out') standing.value",
    to: 'standing.value',
    tests: ['test/web/store/session.test.ts'],
  },
  {
    says: 'a part that was opened by its address slides away while the parts above it are read',
    file: 'web/parts/section.tsx',
    from: 'watch.observe(around)',
    to: "title.scrollIntoView({ block: 'start' })",
    tests: ['test/web/settings.test.ts'],
  },
  {
    says: 'whoever scrolls is brought back to the part they opened',
    file: 'web/parts/section.tsx',
    from: "['wheel', 'touchmove', 'pointerdown', 'keydown']",
    to: "['touchmove', 'pointerdown', 'keydown']",
    tests: ['test/web/settings.test.ts'],
  },
]
