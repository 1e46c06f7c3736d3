// Text that tries to become more than text, wherever somebody else's words are shown.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** Each would set `hit` on the window, load something from elsewhere, or break out of where it stands. */
export const corpus: readonly string[] = [
  '<script>window.hit = 1</script>',
  '<img src=x onerror="window.hit = 2">',
  '<svg/onload=window.hit=3>',
  '"><svg onload=window.hit=4>',
  `'"><iframe srcdoc="<script>parent.hit=5</script>"></iframe>`,
  '[press](javascript:window.hit=6)',
  '<a href="javascript:window.hit=7">press</a>',
  '![picture](https://elsewhere.example/pixel.png)',
  '<style>@import "https://elsewhere.example/a.css"</style>',
  '<form action="https://elsewhere.example"><button>Send</button></form>',
  '${window.hit=8}{{window.hit=9}}',
  '\u202Eelif.exe\u2066',
]

/** Watches a page from its first request on; `check` tells that nothing ran and nothing went elsewhere. */
export function guard(page: Page): { check(): Promise<void> } {
  const elsewhere: string[] = []
  page.on('request', (request) => {
    const { hostname } = new URL(request.url())
    if (hostname !== '' && hostname !== '127.0.0.1') elsewhere.push(request.url())
  })
  page.on('dialog', (dialog) => {
    elsewhere.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return {
    async check() {
      assert.equal(await page.evaluate('window.hit'), undefined)
      assert.deepEqual(elsewhere, [])
      const odd = await page.evaluate(
        `[...document.querySelectorAll('#app script, #app iframe, #app img, #app style, #app form[action], [onerror], [onload], [style], a[href^="javascript:"]')].map((each) => each.outerHTML)`,
      )
      assert.deepEqual(odd, [])
    },
  }
}
