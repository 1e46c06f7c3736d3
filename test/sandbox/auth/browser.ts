// A browser that signs in at the issuer of the tests without a person. Run as a program it stands for the one of a desktop:
// it opens a link and goes wherever it is sent.

/** Follows redirects with cookies, fills the two forms of the server's own pages, and stops where the server lets go. */
export async function browse(link: string, home: string): Promise<string> {
  const cookies = new Map<string, string>()
  let [url, method, body] = [link, 'GET', undefined as string | undefined]
  for (let step = 0; step < 20; step++) {
    if (!url.startsWith(home)) return url
    const answer = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(body !== undefined && { body }),
    })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    const location = answer.headers.get('location')
    if (location !== null) {
      ;[url, method, body] = [new URL(location, url).href, 'GET', undefined]
      continue
    }
    const page = await answer.text()
    const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1]
    if (action === undefined) throw new Error(`${answer.status} at ${url}: ${page.slice(0, 500)}`)
    const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1] ?? 'login'
    url = new URL(action, url).href
    method = 'POST'
    body = new URLSearchParams({ prompt, login: 'ada', password: 'x' }).toString()
  }
  throw new Error('the sign-in goes round in circles')
}

const [link, home] = process.argv.slice(2)
if (import.meta.main && link !== undefined && home !== undefined) await fetch(await browse(link, home))
