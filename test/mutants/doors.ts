// Planted faults of the doors: what they let in, what they show, where pages end.
import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  {
    says: 'a signed delivery is known by its headers',
    file: 'src/doors/webhook/door.ts',
    from: "proof === 'signature' ? body : undefined",
    to: 'undefined',
    tests: ['test/doors/webhook/events.test.ts'],
  },
  {
    says: 'the webhook counts each IPv6 address alone',
    file: 'src/doors/webhook/door.ts',
    from: 'networkOf(addressOf(request))',
    to: 'addressOf(request)',
    tests: ['test/doors/webhook/contract.test.ts'],
  },
  {
    says: 'an empty list of tools on a resume is as none sent',
    file: 'src/doors/responses/read/plan.ts',
    from: '...(noTools && { tools: [] }), ',
    to: '',
    tests: ['test/doors/responses/tools.test.ts'],
  },
  {
    says: 'a schema of a caller may have any number of values',
    file: 'src/doors/responses/read/schemas.ts',
    from: 'if (left < 0) return',
    to: 'if (left < -9999) return',
    tests: ['test/doors/responses/contract.test.ts'],
  },
  {
    says: 'a deep field overflows the comparison of bodies',
    file: 'src/doors/responses/create.ts',
    from: 'canonical(body, maxLevels)',
    to: 'canonical(body)',
    tests: ['test/doors/responses/contract.test.ts'],
  },
]
