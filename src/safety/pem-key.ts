// The pattern of a private key in PEM, behind its dashes and BEGIN: its name, headers, base64 and end. Lines may end with
// escapes, once or twice.

const keyName = '(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----'
const lineEnd = '(?:\\s|\\\\{1,2}[nr])'
/**
 * Headers of a key: each ends with its line, or has up to three words, none with a colon. There is one way to read each, up to
 * the next five dashes: another would be tried as well, six times over.
 */
const headerLine = '[A-Za-z-]{1,20}: (?:[^\\n\\\\-]|-(?!----)){1,200}(?:\\n|\\\\{1,2}[nr])'
const word = '(?:[^\\s\\\\:-]|-(?!----)){1,100}'
const headerWords = `[A-Za-z-]{1,20}: ${word}(?: ${word}){0,2}`
const keyHeaders = `(?:(?:${headerLine}${lineEnd}*){1,6}|(?:${headerWords}${lineEnd}+){1,6})?`
/** Longer than any real key. */
const keyBody = '(?:[^-]|-(?!-)){0,65536}'
const keyEnd = '(?:-----END [A-Z0-9 ]{1,60}-----)?'

/** The value is the base64. */
export const pemKey = `${keyName}${lineEnd}*${keyHeaders}([A-Za-z0-9+/=]{10,100}${keyBody})${keyEnd}`
