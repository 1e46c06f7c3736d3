// The OpenID Connect issuer for sign-in, if any.
import { withoutUndefined } from '#lib/without-undefined.ts'
import { fault, type RawValues, variableNames, type Report, type Values } from './variables.ts'

export type OidcConfig = {
  readonly issuer: string
  readonly clientId?: string
  readonly clientSecret?: string
  readonly audience?: string
  readonly allowedDomains: readonly string[]
}

export function readOidc(values: Values, raw: RawValues, report: Report): OidcConfig | undefined {
  const name = variableNames.find((each) => each.startsWith('OIDC_') && raw[each] !== undefined)
  if (name === undefined) return undefined
  if (!raw.OIDC_ISSUER) report(fault(name, 'is set, but OIDC_ISSUER is not', 'OIDC_ISSUER'))
  // Without one of them, a token that the issuer made for another program would be accepted.
  if (!raw.OIDC_CLIENT_ID && !raw.OIDC_AUDIENCE) {
    report(fault(name, 'is set, but neither OIDC_CLIENT_ID nor OIDC_AUDIENCE is', 'OIDC_CLIENT_ID'))
  }
  return {
    issuer: values.OIDC_ISSUER ?? '',
    ...withoutUndefined({
      clientId: values.OIDC_CLIENT_ID,
      clientSecret: values.OIDC_CLIENT_SECRET,
      audience: values.OIDC_AUDIENCE,
    }),
    allowedDomains: values.OIDC_ALLOWED_DOMAINS,
  }
}
