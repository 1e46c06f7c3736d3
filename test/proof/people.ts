// Makes the users of a run: each with an account and a token.
import { createDice } from './dice.ts'
import { send } from './request.ts'
import type { Person, World } from './world.ts'

/** Creates an account as the operator. */
export async function newPerson(world: World, at: number, seed: number): Promise<Person> {
  const name = `u${at}`
  const operator = { name: 'operator', token: world.operatorToken }
  const made = await send(world, operator, () => `${world.site.gateway()}/api/users`, { body: { name } })
  const { user, token } = (made?.body ?? {}) as { user: { id: string }; token: string }
  const known = { threads: [], paying: new Set<string>(), responses: [], histories: [], jobs: [], sent: [] }
  return { name, id: user.id, token, deletes: at % 2 === 0, dice: createDice(seed), ...known }
}
