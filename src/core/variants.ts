// The variants at each message of a thread: what Retry and Edit made of it. Pure.

/** A thread of a conversation with variants. The first of them may be a fork too, of another conversation. */
export type FamilyMember = {
  readonly id: string
  readonly forkedFrom?: { readonly threadId: string; readonly beforeSeq: number }
  /** Sorts by the last use. */
  readonly lastTurn: string
  /** The seq of the message whose turn, the thread's last one, failed without any step. */
  readonly failedAt?: number
}

/** The variants at one message: the threads to open for each, oldest first, and which of them the thread itself has. */
export type Variants = { readonly seq: number; readonly threadIds: readonly string[]; readonly at: number }

/** By seq. A message that failed without any step is no variant once it was tried again. */
export function variantsOf(members: readonly FamilyMember[], family: string, threadId: string): Variants[] {
  const tree = treeOf(members, family)
  if (!tree.has(threadId)) return []
  const found: Variants[] = []
  for (const { seq, parent, branches } of placesIn(tree)) {
    if ((seq > 1 ? ownerOf(tree, threadId, seq - 1) : '') !== parent) continue
    const chosen = ownerOf(tree, threadId, seq)
    const shown = branches.flatMap((branch) => {
      if (branch === chosen) return [{ branch, threadId }]
      const inBranch = members.filter(({ id }) => tree.has(id) && ownerOf(tree, id, seq) === branch)
      const [only] = inBranch
      if (inBranch.length === 1 && only?.failedAt === seq) return []
      return [{ branch, threadId: lastUsed(inBranch) ?? branch }]
    })
    if (shown.length < 2) continue
    const at = shown.findIndex(({ branch }) => branch === chosen)
    found.push({ seq, threadIds: shown.map((each) => each.threadId), at })
  }
  return found.sort((a, b) => a.seq - b.seq)
}

/** From which seq on a thread has its own items, and whose it has before. */
type Branch = { readonly from: number; readonly parent: string | undefined }
type Tree = ReadonlyMap<string, Branch>

/** The first thread of the family, then the others by id: the oldest first. The clocks that ids are made with may differ. */
function treeOf(members: readonly FamilyMember[], family: string): Tree {
  const forks = Map.groupBy(members, ({ id, forkedFrom }) => (id === family ? undefined : forkedFrom?.threadId))
  const tree = new Map<string, Branch>()
  if (members.some(({ id }) => id === family)) tree.set(family, { from: 1, parent: undefined })
  // A thread that is added is itself gone through.
  for (const threadId of tree.keys()) {
    for (const { id, forkedFrom } of forks.get(threadId) ?? []) {
      const from = forkedFrom?.beforeSeq ?? 1
      tree.set(id, { from, parent: from > 1 ? ownerOf(tree, threadId, from - 1) : undefined })
    }
  }
  const [root, ...others] = tree
  return new Map(root ? [root, ...others.toSorted(([a], [b]) => compare(a, b))] : [])
}

/** The thread in which the item with this seq first stood. */
function ownerOf(tree: Tree, threadId: string, seq: number): string {
  let id = threadId
  for (let branch = tree.get(id); branch?.parent !== undefined && seq < branch.from; branch = tree.get(id))
    id = branch.parent
  return id
}

type Place = { readonly seq: number; readonly parent: string; readonly branches: string[] }

/** Where variants begin. The item before is in `parent`, which goes on itself; before the first message it is ''. */
function placesIn(tree: Tree): Iterable<Place> {
  const places = new Map<string, Place>()
  const [root] = tree.keys()
  for (const [id, { from, parent = '' }] of tree) {
    if (id === root) continue
    const key = `${parent}:${from}`
    const place = places.get(key) ?? { seq: from, parent, branches: [parent || (root ?? '')] }
    place.branches.push(id)
    places.set(key, place)
  }
  return places.values()
}

function lastUsed(members: readonly FamilyMember[]): string | undefined {
  return members.toSorted((a, b) => compare(b.lastTurn, a.lastTurn) || compare(b.id, a.id))[0]?.id
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
