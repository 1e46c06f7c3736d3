// Which methods a path has: asked only when a request found no route, to tell a wrong method from a wrong path.

export interface RouteTable {
  add(route: { readonly method: string | readonly string[]; readonly url: string }): void
  methodsOf(path: string): string[]
}

export function createRouteTable(): RouteTable {
  const routes: { methods: readonly string[]; pattern: RegExp }[] = []
  return {
    add({ method, url }) {
      routes.push({ methods: [method].flat(), pattern: patternOf(url) })
    },
    methodsOf: (path) => [...new Set(routes.flatMap(({ methods, pattern }) => (pattern.test(path) ? methods : [])))],
  }
}

/** `/api/jobs/:id/cancel` as a pattern of whole paths; `*` takes the rest. */
function patternOf(url: string): RegExp {
  const parts = url.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+'
    return part.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
  })
  return new RegExp(`^${parts.join('/')}$`)
}
