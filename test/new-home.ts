// A home for a test. In a file of its own: a test that needs no more than this starts no process.
import { openScratch, type Scratch } from './scratch.ts'

/** A home of its own for a test. */
export function newHome(): Scratch {
  return openScratch('atrium-home-')
}
