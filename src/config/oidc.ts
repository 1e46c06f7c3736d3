// The issuer that signs people in, if any.
import { fault, type Given, names, present, type Report, type Values } from './variables.ts'

export type OidcConfig = {
  readonly issuer: string
  readonly clientId?: string
  readonly clientSecret?: string
  readonly audience?: string
  readonly allowedDomains: readonly string[]
}

export function readOidc(values: Values, given: Given, report: Report): OidcConfig | undefined {
  const name = names.find((each) => each.startsWith('OIDC_') && given[each] !== undefined)
  if (name === undefined) return undefined
  if (!given.OIDC_ISSUER) report(fault(name, 'is set, but OIDC_ISSUER is not', 'OIDC_ISSUER'))
  // Without one of them a token that the issuer made for another program would be good here.
  if (!given.OIDC_CLIENT_ID && !given.OIDC_AUDIENCE) {
    report(fault(name, 'is set, but neither OIDC_CLIENT_ID nor OIDC_AUDIENCE is', 'OIDC_CLIENT_ID'))
  }
  return {
    issuer: values.OIDC_ISSUER ?? '',
    ...present({
      clientId: values.OIDC_CLIENT_ID,
      clientSecret: values.OIDC_CLIENT_SECRET,
      audience: values.OIDC_AUDIENCE,
    }),
    allowedDomains: values.OIDC_ALLOWED_DOMAINS,
  }
}
