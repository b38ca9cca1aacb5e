import { execFileSync } from 'node:child_process'

/** The files of one tag in a clone of the Kubernetes repository. */
export interface ReleaseSource {
  readonly tag: string
  read(path: string): string | undefined
  /** Paths of files below a folder. */
  list(folder: string): readonly string[]
}

/** The newest patch release of each minor one; for the last, a release candidate will do. */
export function chooseTags(
  tags: readonly string[],
  first: number,
  last: number,
): ReadonlyMap<number, string> {
  const chosen = new Map<number, string>()
  for (let minor = first; minor <= last; minor++) {
    const patches = numbered(tags, new RegExp(`^v1\\.${minor}\\.(\\d+)$`))
    const candidates = numbered(tags, new RegExp(`^v1\\.${minor}\\.0-rc\\.(\\d+)$`))
    const tag = patches.at(-1) ?? candidates.at(-1)
    if (tag === undefined) throw new Error(`the clone has no tag of Kubernetes 1.${minor}`)
    chosen.set(minor, tag)
  }
  return chosen
}

function numbered(tags: readonly string[], pattern: RegExp): string[] {
  return tags
    .flatMap((tag) => {
      const number = pattern.exec(tag)?.[1]
      return number === undefined ? [] : [{ tag, number: Number(number) }]
    })
    .sort((a, b) => a.number - b.number)
    .map(({ tag }) => tag)
}

export function listTags(clone: string): string[] {
  return git(clone, ['tag', '--list', 'v1.*']).split('\n')
}

export function openRelease(clone: string, tag: string): ReleaseSource {
  const folders = new Map<string, readonly string[]>()
  const list = (folder: string): readonly string[] => {
    const known = folders.get(folder)
    if (known) return known
    const found = git(clone, ['ls-tree', '-r', '--name-only', tag, folder]).split('\n')
    folders.set(folder, found)
    return found
  }
  return {
    tag,
    list,
    read: (path) => {
      const folder = path.slice(0, path.lastIndexOf('/') + 1)
      return list(folder).includes(path) ? git(clone, ['show', `${tag}:${path}`]) : undefined
    },
  }
}

function git(clone: string, args: readonly string[]): string {
  return execFileSync('git', ['-C', clone, ...args], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
}
