// The sign-in link of the first screen. It works once and for some minutes, so it is looked at again while it is shown.
import type { OperatorClient } from '#turns/operator-client.ts'

/** How often a shown link is checked. */
const checkMs = 5_000

export interface SignInLink {
  /** Its line of the first screen; none while the service has no page. */
  lines(): readonly string[]
  close(): void
}

export type SignInLinkParts = {
  /** The link that was made for the first screen. */
  readonly first: string | undefined
  readonly client: Pick<OperatorClient, 'login'>
  /** True while the first screen is shown: only then a link is made. */
  readonly shown: () => boolean
  readonly redraw: () => void
}

/** A sign-in link in words. */
function signInLine(link: string): string {
  return `sign in  ${link}  (once, within 10 minutes; /login makes another)`
}

export function createSignInLink({ client, first, shown, redraw }: SignInLinkParts): SignInLink {
  let link = first
  let checking = false

  /** Keeps the link while it works; replaces a used or late one. */
  async function check(): Promise<void> {
    if (checking || !shown()) return
    checking = true
    // A link that cannot be checked may be stale, so it is not shown.
    const found = await client.login(link).catch(() => undefined)
    checking = false
    if (found === link) return
    link = found
    redraw()
  }

  const timer = setInterval(() => void check(), checkMs)
  return {
    lines: () => (link === undefined ? [] : [signInLine(link)]),
    close: () => clearInterval(timer),
  }
}
