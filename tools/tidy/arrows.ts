import { type Import, packageOf, parseImports, resolveRelative } from './imports.ts'
import { isTest, isTypeScript, type Rule } from './source.ts'

/** From a package, a folder or a file (as a path prefix), which packages may be imported. */
export interface PackageArrow {
  readonly from: string
  readonly to: readonly string[]
  readonly because: string
}

/** Packages are entered by their front door, and only from where an arrow points to them. */
export const packageArrows =
  (arrows: readonly PackageArrow[], names: readonly string[]): Rule =>
  (files) =>
    files.filter(isTypeScript).flatMap((file) => {
      const allowed = new Set(
        arrows.filter(({ from }) => file.path.startsWith(from)).flatMap(({ to }) => to.map(nameOf)),
      )
      return parseImports(file).flatMap((each) => {
        const own = packageOf(file.path)
        const entered = /^packages\/([^/]+)\/src\//.exec(resolveRelative(each) ?? '')?.[1]
        const message = entered !== undefined && entered !== own ? enteredByPath(entered) : refuse(each)
        return message === undefined
          ? []
          : [{ rule: 'package arrows', path: file.path, line: each.line, message }]
      })

      function refuse({ specifier }: Import): string | undefined {
        if (!specifier.startsWith('@strata/')) return undefined
        const name = nameOf(specifier.slice('@strata/'.length))
        if (!names.includes(name)) return `there is no package ${name}`
        if (name === packageOf(file.path)) return `${specifier} is this package: import the file itself`
        return allowed.has(name) ? undefined : `no arrow leads from here to ${name}`
      }
    })

const nameOf = (entry: string): string => entry.split('/')[0] ?? ''
const enteredByPath = (name: string): string =>
  `reaches into packages/${name} by path: import @strata/${name}`

/** Entry points that only some files may take, because they bring the real outside with them. */
export const guardedEntries =
  (entries: readonly { entry: string; openTo?: RegExp; because: string }[]): Rule =>
  (files) =>
    files
      .filter((file) => isTypeScript(file) && file.path.startsWith('packages/') && !isTest(file))
      .flatMap((file) =>
        parseImports(file).flatMap(({ specifier, line }) => {
          const guarded = entries.find(({ entry }) => entry === specifier)
          if (guarded === undefined || guarded.openTo?.test(file.path)) return []
          const message = `${specifier} may not be imported here: ${guarded.because}`
          return [{ rule: 'guarded entries', path: file.path, line, message }]
        }),
      )

/** For each folder, the folders it may import. Files beside the folders assemble them, and may import all. */
export type FolderArrows = Readonly<Record<string, readonly string[]>>

/** Inside one package: folders see each other only along the arrows, and only through index.ts. */
export const folderArrows =
  (home: string, arrows: FolderArrows): Rule =>
  (files) =>
    files
      .filter((file) => isTypeScript(file) && file.path.startsWith(home) && !isTest(file))
      .flatMap((file) => {
        const from = folderOf(home, file.path)
        return parseImports(file).flatMap((each) => {
          const target = resolveRelative(each)
          const to = target?.startsWith(home) ? folderOf(home, target) : undefined
          if (from === undefined || to === undefined || to === from) return []
          const problem = (message: string) => [
            { rule: 'folder arrows', path: file.path, line: each.line, message },
          ]
          if (target !== `${home}${to}/index.ts`) return problem(`enter ${to} through its index.ts`)
          const allowed = arrows[from]
          if (allowed === undefined) return problem(`${from} is not in the table of folders`)
          return allowed.includes(to) ? [] : problem(`no arrow leads from ${from} to ${to}`)
        })
      })

function folderOf(home: string, path: string): string | undefined {
  const [folder, ...rest] = path.slice(home.length).split('/')
  return rest.length === 0 ? undefined : folder
}
