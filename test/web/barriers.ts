// What axe-core finds on a page of the browser app.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

type Finding = { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }

/** Drawn in its size, and no colour on its way to another. */
async function isAtRest(page: Page): Promise<void> {
  await page.evaluate(`(async () => {
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
    const passing = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
    await Promise.allSettled(passing.map(({ finished }) => finished))
  })()`)
}

/** The rules that look at colours: a theme changes nothing else. They take the most time. */
const colourRules = ['color-contrast', 'link-in-text-block'] as const

const runOnly = {
  all: {},
  colours: { runOnly: { type: 'rule', values: colourRules } },
  structure: { rules: Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }])) },
}

/** What axe-core finds on a page, once it stands: a line each. */
export async function findBarriers(
  page: Page,
  only: keyof typeof runOnly = 'all',
  weight: 'serious' | 'any' = 'serious',
): Promise<string[]> {
  await isAtRest(page)
  if (!(await page.evaluate<boolean>('"axe" in window'))) {
    await page.evaluate(
      readFileSync(join(import.meta.dirname, '..', '..', 'node_modules', 'axe-core', 'axe.min.js'), 'utf8'),
    )
  }
  const options = { resultTypes: ['violations'], preload: false, ...runOnly[only] }
  // Rules whose findings would be passed over take a third of the time.
  const found = await page.evaluate<Finding[]>(`(async () => {
    const options = ${JSON.stringify(options)}
    const light = axe._audit.rules.filter(({ impact }) => ${weight === 'serious'} && ['minor', 'moderate'].includes(impact))
    const rules = { ...options.rules, ...Object.fromEntries(light.map(({ id }) => [id, { enabled: false }])) }
    return (await axe.run(document, { ...options, rules })).violations
  })()`)
  return found
    .filter(({ impact }) => weight === 'any' || impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n  ${failureSummary}`))
}
