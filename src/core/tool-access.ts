// How people give a tool its secrets: what it needs, what it has, and the ways to sign in. Doors speak of it; the sandbox
// does it.
import type { UserId } from './ids.ts'

/** Where a secret comes from: a variable of the service, the person themselves, or the operator for everybody. */
export type Whence = 'environment' | 'own' | 'operator'

/** A secret of the same name that another tool of the same person has, and where this tool would send it. */
export type Offer = { readonly tool: string; readonly hosts: readonly string[] }

export type NeededSecret = {
  readonly name: string
  readonly prompt?: string | undefined
  readonly optional: boolean
  /** Absent while nobody has set it. */
  readonly set?: Whence
  /** When it was, where it is the person's own. */
  readonly setAt?: number
  /** The tool whose secret it is. */
  readonly sharedFrom?: string
  readonly offers: readonly Offer[]
}

/** How a tool signs in: by a variable that is set, by OAuth, or by a token that a person brings. */
export type SignIn = Omit<NeededSecret, 'prompt' | 'optional'> & {
  readonly how: 'environment' | 'oauth' | 'token'
  readonly envVar?: string | undefined
  readonly displayName?: string | undefined
  readonly instructions?: string | undefined
  readonly setupUrl?: string | undefined
  readonly tokenHint?: string | undefined
}

export type ToolNeeds = {
  readonly tool: string
  readonly auth?: SignIn
  /** What the set-up asks for. */
  readonly setup: readonly NeededSecret[]
}

/** Secrets that were stored, and what the person should know of it. */
export type Given = { readonly tool: string; readonly secrets: readonly string[]; readonly warning?: string }

/** A sign-in that a browser has begun. `state` is sealed: it says who began it, and works for ten minutes. */
export type Begun = { readonly url: string; readonly state: string }

/** A secret of one tool that another uses. */
export type Share = { readonly tool: string; readonly secret: string; readonly from: string }

/** Whose secrets: the operator's stand for everybody who has none of their own. */
export type For = { readonly tool: string; readonly owner: UserId }

export interface ToolAccess {
  /** Throws not_found. */
  needs(whose: For): Promise<ToolNeeds>
  /** Begins a sign-in by OAuth. `browser` is a secret that only the browser has which begins it. */
  begin(whose: For, from: { redirectUri: string; browser?: string }): Promise<Begun>
  /**
   * Ends it with the address that the browser was sent to, or with the code alone and the state of the beginning. Whoever
   * ends it must be the one who began it, or have the secret of the browser that did.
   */
  finish(returned: string, by: { owner?: UserId; browser?: string; state?: string }): Promise<Given & For>
  /** Stores a token that a person brought, once it was seen to work where the tool's file says how. */
  giveToken(whose: For, token: string): Promise<Given>
  /** Stores secrets of the set-up. Throws invalid_input for one that it does not ask for. */
  setUp(whose: For, secrets: Readonly<Record<string, string>>): Promise<Given>
  /** Uses the secret of another tool. Throws invalid_input where none is offered. */
  share(whose: For, secret: string, from: string): Promise<Given>
  shares(owner: UserId): Promise<readonly Share[]>
  /** Removes a secret, or takes a share back; false when there was none. */
  forget(whose: For, secret: string): Promise<boolean>
}
