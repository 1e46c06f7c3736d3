// The fence that tests use: under a key that everybody knows.
import { createFence } from '#safety/fence.ts'

export const fence = createFence(new Uint8Array(32))
