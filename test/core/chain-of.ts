// The chain of a short history, at once.
import { type Chain, type ChainMessage, ChainWriter } from '#core/replay-chain.ts'

export function chainOf(messages: readonly ChainMessage[], from?: string): Chain {
  const chain = new ChainWriter(from)
  for (const message of messages) for (const _ of chain.add(message));
  return chain.end()
}
