// Small PDFs for tests.
import { constants, deflateRawSync, deflateSync } from 'node:zlib'

/** A PDF with a page for each line; a page of an empty line has no text. `locked`: it needs a password. */
export function pdfOf(lines: readonly string[], { locked = false } = {}): string {
  const font = 3 + 2 * lines.length
  const pages = lines.flatMap((line, at) => {
    const stream = line === '' ? '0 0 10 10 re f' : `BT /F1 18 Tf 20 100 Td (${line}) Tj ET`
    return [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents ${4 + 2 * at} 0 R /Resources << /Font << /F1 ${font} 0 R >> >> >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    ]
  })
  const key = `(${'x'.repeat(32)})`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${lines.map((_, at) => `${3 + 2 * at} 0 R`).join(' ')}] /Count ${lines.length} >>`,
    ...pages,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Title (Tide table) >>',
    `<< /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >>`,
  ]
  return written(objects, `/Info ${font + 1} 0 R ${locked ? `/Encrypt ${font + 2} 0 R /ID [<00> <00>]` : ''}`)
}

/** A PDF of 3 KB with one page, whose content unpacks, twice deflated, to 1 GiB of blanks. */
export function pdfBomb(): Uint8Array {
  const blanks = deflateRawSync(Buffer.alloc(1024 * 1024, ' '), { finishFlush: constants.Z_FULL_FLUSH })
  const [head, end] = [Buffer.from([0x78, 0x9c]), Buffer.from([3, 0, 0, 0, 0, 0])]
  const once = Buffer.concat([head, ...Array.from({ length: 1024 }, () => blanks), end])
  const stream = deflateSync(once).toString('latin1')
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R >>',
    `<< /Length ${stream.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n${stream}\nendstream`,
  ]
  return new Uint8Array(Buffer.from(written(objects), 'latin1'))
}

/** A file of these objects, the first of which is the catalogue. */
function written(objects: readonly string[], more = ''): string {
  let text = '%PDF-1.4\n'
  const places = objects.map((object, at) => {
    const place = text.length
    text += `${at + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const trailer = `trailer << /Size ${size} /Root 1 0 R ${more} >>`
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}${trailer}\nstartxref\n${text.length}\n%%EOF`
}
