// A sign-in page in another window, and the link to it: a browser may refuse to open one by itself.

/** Opens the page and returns its address; undefined for an address of another kind. */
export function openOther(url: string): string | undefined {
  if (!/^https?:/.test(url)) return undefined
  window.open(url, '_blank', 'noopener')
  return url
}

export function OpenAgain({ url }: { url: string }) {
  return (
    <a class="link" href={url} target="_blank" rel="noopener noreferrer">
      Open it again
    </a>
  )
}
