// Words for a server whose certificate comes from an authority that Node does not know, such as one of a company.

const codes: readonly unknown[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]

/** Why the connection failed and the way out. Undefined for every other error. */
export function unknownAuthority(error: Error): string | undefined {
  if (!('code' in error) || !codes.includes(error.code)) return undefined
  return `its certificate is from an unknown authority (${error.code as string}); name the file of that authority's certificate in NODE_EXTRA_CA_CERTS`
}
