// Secrets and sign-ins of tools: what a tool needs and has, and the ways to sign in. The sandbox implements this, doors
// call it.
import type { UserId } from './ids.ts'

/** The source of a secret: an environment variable, the user, or the operator for everybody. */
export type SecretSource = 'environment' | 'own' | 'operator'

/** Another tool of the same user that has a secret of this name, and the hosts to which this tool would send it. */
export type Offer = { readonly tool: string; readonly hosts: readonly string[] }

export type NeededSecret = {
  readonly name: string
  readonly prompt?: string | undefined
  readonly optional: boolean
  /** Absent while it is not set. */
  readonly set?: SecretSource
  /** When it was set, if it is the user's own. */
  readonly setAt?: number
  /** The tool that it is shared from. */
  readonly sharedFrom?: string
  readonly offers: readonly Offer[]
}

/** How a tool signs in: with an environment variable, by OAuth, or with a token from the user. */
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
  /** The secrets of the set-up. */
  readonly setup: readonly NeededSecret[]
}

/** Secrets that were stored, with a warning for the user, if any. */
export type StoredSecrets = { readonly tool: string; readonly secrets: readonly string[]; readonly warning?: string }

/** A started sign-in. `state` is sealed: it names the person who started it, and is valid for ten minutes. */
export type StartedSignIn = { readonly url: string; readonly state: string }

/** A secret of one tool that another uses. */
export type Share = { readonly tool: string; readonly secret: string; readonly from: string }

/** A tool and the owner of its secrets. Users without a secret of their own use the operator's. */
export type ToolOwner = { readonly tool: string; readonly owner: UserId }

/** What a person has to do for a tool before it works: set its secrets, or sign in. */
export type OpenStep = 'setup' | 'sign_in'

export interface ToolAccess {
  /** Throws not_found. */
  needs(whose: ToolOwner): Promise<ToolNeeds>
  /** By tool, the first step that is still open: without it, no call of the tool can work. */
  openSteps(owner: UserId): Promise<ReadonlyMap<string, OpenStep>>
  /** Starts an OAuth sign-in. `browser` is a secret that only the starting browser has. */
  begin(whose: ToolOwner, from: { redirectUri: string; browser?: string }): Promise<StartedSignIn>
  /**
   * Completes a sign-in with the URL that the browser was redirected to, or with the code alone and the `state` from the
   * start. The caller must be the user who started it, or have the secret of the starting browser.
   */
  finish(returned: string, by: { owner?: UserId; browser?: string; state?: string }): Promise<StoredSecrets & ToolOwner>
  /** Stores a token from the user. If the tool's file defines a check, a token that fails it is refused. */
  giveToken(whose: ToolOwner, token: string): Promise<StoredSecrets>
  /** Stores secrets of the set-up. Throws invalid_input for one that the tool does not need. */
  setUp(whose: ToolOwner, secrets: Readonly<Record<string, string>>): Promise<StoredSecrets>
  /** Uses the secret of another tool. Throws invalid_input when it is not among the offers. */
  share(whose: ToolOwner, secret: string, from: string): Promise<StoredSecrets>
  shares(owner: UserId): Promise<readonly Share[]>
  /** Removes a secret or a share; false when there was none. */
  forget(whose: ToolOwner, secret: string): Promise<boolean>
}
