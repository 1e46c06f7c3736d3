// Globals that tools commonly use and the component's JavaScript engine lacks. The build imports this file first.
import { log } from 'near:agent/host@0.3.0'

const replacement = 0xfffd

/** UTF-8 to text; invalid bytes become the replacement character. */
function decode(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at++] ?? 0
    const more = first < 0x80 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc2 ? 1 : -1
    let point = more <= 0 ? first : first & (0x3f >> more)
    let good = more >= 0 && first < 0xf5
    for (let each = 0; good && each < more; each++) {
      const next = bytes[at] ?? 0
      good = (next & 0xc0) === 0x80
      if (good) {
        point = (point << 6) | (next & 0x3f)
        at++
      }
    }
    const whole = good && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)
    text += String.fromCodePoint(whole ? point : replacement)
  }
  return text
}

/** Text to UTF-8. */
function encode(text: string): Uint8Array {
  const bytes: number[] = []
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0
    const whole = point >= 0xd800 && point <= 0xdfff ? replacement : point
    if (whole < 0x80) bytes.push(whole)
    else if (whole < 0x800) bytes.push(0xc0 | (whole >> 6), 0x80 | (whole & 63))
    else if (whole < 0x10000) bytes.push(0xe0 | (whole >> 12), 0x80 | ((whole >> 6) & 63), 0x80 | (whole & 63))
    else bytes.push(0xf0 | (whole >> 18), 0x80 | ((whole >> 12) & 63), 0x80 | ((whole >> 6) & 63), 0x80 | (whole & 63))
  }
  return Uint8Array.from(bytes)
}

class Decoder {
  decode(bytes?: Uint8Array): string {
    return decode(bytes ?? new Uint8Array())
  }
}

class Encoder {
  encode(text = ''): Uint8Array {
    return encode(text)
  }
}

const say =
  (level: 'debug' | 'info' | 'warn' | 'error') =>
  (...parts: unknown[]): void =>
    log(level, parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' '))

const missing = {
  TextDecoder: Decoder,
  TextEncoder: Encoder,
  console: { debug: say('debug'), log: say('info'), info: say('info'), warn: say('warn'), error: say('error') },
}
for (const [name, value] of Object.entries(missing)) {
  if (!(name in globalThis)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}
