// The chat for the tests of a file: a service with a scripted model, the composer, the messages, and the focus.
import type { Locator, Page } from 'playwright-core'
import { until } from '../until.ts'
import { type Site, useSite } from './browser.ts'

/** Few pieces, and large: each is drawn by itself. */
const long = Array.from({ length: 1_000 }, () => 'One line of a long answer that takes its time.\n\n'.repeat(3))

/** A service whose model has a reply for each test of the chat. */
export const useChat = (): Site =>
  useSite({
    script: {
      replies: [
        { when: 'what is 6 times 7', calls: [{ name: 'calculate', args: { expression: '6*7' } }] },
        { when: 'what is 6 times 7', afterTool: 'calculate', text: 'It is **42**.' },
        {
          when: 'table',
          reasoning: 'Rows first.',
          text: '# Routes\n\n- שלום עולם\n\n| Route | ms |\n|---|---:|\n| `GET /cart` | 182 |\n\n```sql\nSELECT 1;\n```\n\nMath: $x^2$ and\n\n$$\\frac{1}{2}$$\n',
        },
        { when: 'long', text: long, chunkDelayMs: 100 },
        { when: 'endless', text: ['It begins.', 'It ends.'], chunkDelayMs: 600_000 },
        {
          when: 'four',
          calls: ['1+1', '2+2', '3+3', '4+4', '5+5'].map((e) => ({ name: 'calculate', args: { expression: e } })),
        },
        {
          when: 'fail',
          error: { code: 'model_unreachable', message: 'api.example.com returned 529 four times in 30 s' },
        },
        {
          when: 'costly',
          calls: [{ name: 'calculate', args: { expression: '1+1' } }],
          usage: { costUsd: 0.5 },
        },
        { when: 'write a file', calls: [{ name: 'workspace_write', args: { path: 'note.md', content: 'first' } }] },
        { text: 'You said: {{input}}' },
      ],
      loop: true,
    },
    env: { LLM_MODELS: 'offline' },
  })

/** Whether keys go to it. */
export const isFocused = (locator: Locator): Promise<boolean> =>
  locator.evaluate((node) => node === node.ownerDocument.activeElement)

/** The first Ctrl+K goes to the search, the second one opens the palette. */
export async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  await until(() => isFocused(page.getByRole('searchbox', { name: 'Search threads' })))
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search threads, pages and actions' }).waitFor()
}

export const box = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true })

export async function say(page: Page, text: string): Promise<void> {
  await box(page).fill(text)
  await box(page).press('Enter')
}

export const replies = (page: Page) =>
  page.getByRole('log', { name: 'Conversation' }).getByRole('article', { name: 'Atrium' })
export const own = (page: Page) => page.getByRole('log', { name: 'Conversation' }).getByRole('article', { name: 'You' })
export const receipt = (page: Page) => page.getByRole('button', { name: /^Receipt/ })

/** A double click between whose clicks the page does something. */
export async function doubleClick(page: Page, button: Locator, between: () => Promise<void>): Promise<void> {
  await button.hover()
  for (const clickCount of [1, 2]) {
    if (clickCount === 2) await between()
    await page.mouse.down({ clickCount })
    await page.mouse.up({ clickCount })
  }
}
