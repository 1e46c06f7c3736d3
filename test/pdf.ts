// Small PDFs for tests.

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
  let text = '%PDF-1.4\n'
  const places = objects.map((object, at) => {
    const place = text.length
    text += `${at + 1} 0 obj\n${object}\nendobj\n`
    return place
  })
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  const lock = locked ? `/Encrypt ${font + 2} 0 R /ID [<00> <00>]` : ''
  const trailer = `trailer << /Size ${size} /Root 1 0 R /Info ${font + 1} 0 R ${lock} >>`
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}${trailer}\nstartxref\n${text.length}\n%%EOF`
}
