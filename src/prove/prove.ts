// `atrium doctor --prove`: attacks a service of its own, on loopback and in a scratch home, and says what held.
import type { Attack, Outcome } from './attack.ts'
import { crossUserAttacks } from './cross-user.ts'
import { doorAttacks } from './door-attacks.ts'
import { outsideAttacks } from './outside-attacks.ts'
import { storageAttacks } from './storage-attacks.ts'
import { openTarget } from './target.ts'

export type Proof = Pick<Attack, 'name' | 'tried'> & Outcome

/** Runs all attacks one after the other. One that ends with an error counts as got through: nobody knows what held. */
export async function prove(onProgress: (name: string, share: number) => void = () => {}): Promise<readonly Proof[]> {
  const target = await openTarget()
  try {
    const attacks = [
      ...doorAttacks(target),
      ...crossUserAttacks(target),
      ...outsideAttacks(target),
      ...storageAttacks(target),
    ]
    const proofs: Proof[] = []
    for (const [at, { name, tried, run }] of attacks.entries()) {
      onProgress(name, at / attacks.length)
      const outcome = await run().catch((error: unknown): Outcome => {
        return { verdict: 'got_through', answered: `the attack ended with ${String(error)}` }
      })
      proofs.push({ name, tried, ...outcome })
    }
    return proofs
  } finally {
    await target.close()
  }
}
