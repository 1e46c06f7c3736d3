// Loads the client package of the protocol with the first connection. Its schemas take as long as all the rest, tens of
// milliseconds: each of the two gets a turn of the event loop to itself.
import type * as ClientPackage from '@modelcontextprotocol/client'
import { nextTurn } from '#lib/pace.ts'

type Load = {
  readonly schemas: () => Promise<unknown>
  readonly client: () => Promise<typeof ClientPackage>
}

const packages: Load = {
  schemas: () => import('@modelcontextprotocol/core/internal'),
  client: () => import('@modelcontextprotocol/client'),
}

export async function loadClient({ schemas, client }: Load = packages): Promise<typeof ClientPackage> {
  await nextTurn()
  await schemas()
  await nextTurn()
  return client()
}
