// Text with names in backticks, which are shown as code.

export function WithCode({ text }: { text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
}
