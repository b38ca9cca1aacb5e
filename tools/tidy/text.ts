import { isTest, matches, type Rule, type SourceFile } from './source.ts'

/** Words that do not belong into any file. */
export const bannedText =
  (rule: string, pattern: RegExp, why: string): Rule =>
  (files) =>
    files.flatMap((file) =>
      matches(file, file.text, pattern, (match) => `${match}: ${why}`).map((found) => ({ rule, ...found })),
    )

/** Escape sequences that colour a terminal, and what writes them. NO_COLOR and pipes need no check where there are none. */
export const noColours: Rule = (files) =>
  files
    .filter((file) => /^packages\/.*\.(?:ts|mjs)$/.test(file.path) && !isTest(file))
    .flatMap((file) =>
      matches(
        file,
        file.text,
        /\\(?:u001b|u\{1b\}|x1b|033)\[[\d;]*m|\b(?:styleText|colors: true)\b/gi,
        (match) => `${match}: no command prints colours`,
      ).map((found) => ({ rule: 'colours', ...found })),
    )

/** Comments and strings of the product say who acts: a server, a client, a request. */
export const plainWords =
  (pattern: RegExp): Rule =>
  (files) =>
    files
      .filter((file) => /^packages\/.*\.ts$/.test(file.path) && !isTest(file))
      .flatMap((file) =>
        matches(file, file.text, pattern, (match) => `${match}: name the subject`).map((found) => ({
          rule: 'plain words',
          ...found,
        })),
      )

/** Comments are read beside the code, which the formatter keeps narrow; it leaves them alone. */
export const narrowComments: Rule = (files) =>
  files
    .filter(({ path }) => /\.m?ts$/.test(path))
    .flatMap((file) =>
      matches(
        file,
        file.text,
        /^ *(?:\/\/|\/?\*).{130,}$/gm,
        (match) => `a comment of ${match.length} columns: break it before 130`,
      ).map((found) => ({ rule: 'width', ...found })),
    )

/** The lock file must work with any registry, so that a mirror is as good as the original. */
export const registryHosts: Rule = (files) => {
  const checks: Readonly<Record<string, RegExp>> = {
    'package-lock.json': /"resolved":\s*"https?:[^"]*"/g,
    '.npmrc': /^.*registry\s*=.*$|^\/\/.*$/gm,
  }
  return files.flatMap((file) => {
    const pattern = checks[file.path.split('/').at(-1) ?? '']
    if (pattern === undefined) return []
    return matches(file, file.text, pattern, (match) => `names a registry: ${match}`).map((found) => ({
      rule: 'registry hosts',
      ...found,
    }))
  })
}

/** What npm installs is what was reviewed: also packages of other platforms, which were never installed here. */
export const lockedContents: Rule = (files) =>
  files
    .filter(({ path }) => path.split('/').at(-1) === 'package-lock.json')
    .flatMap(({ path, text }) => {
      const { packages = {} }: { packages?: Record<string, LockedPackage> } = JSON.parse(text)
      return Object.entries(packages)
        .filter(([name, { link, integrity }]) => isInstalled(name) && !link && integrity === undefined)
        .map(([name]) => ({
          rule: 'locked contents',
          path,
          line: text.slice(0, text.indexOf(JSON.stringify(name))).split('\n').length,
          message: `${name} has no integrity: take a version whose packages for all platforms can be had`,
        }))
    })

interface LockedPackage {
  readonly link?: boolean
  readonly integrity?: string
}

/** The others are packages of the repository itself. */
const isInstalled = (name: string): boolean => name.includes('node_modules/')

/** Every dependency has a line in docs/decisions that says why it is not ours. */
export const explainedDependencies: Rule = (files) => {
  const decisions = files.filter(({ path }) => /^docs\/decisions\/.*\.md$/.test(path))
  const isExplained = (name: string): boolean => decisions.some(({ text }) => mentions(text, name))
  return files
    .filter(({ path }) => /(?:^|\/)package\.json$/.test(path))
    .flatMap((file) =>
      dependenciesOf(file)
        .filter((name) => !name.startsWith('@strata/') && !isExplained(name))
        .map((name) => ({
          rule: 'dependencies',
          path: file.path,
          line: 1,
          message: `${name} is explained nowhere in docs/decisions`,
        })),
    )
}

const mentions = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w@/-])${name.replaceAll(/[.*+?^$(){}|[\]\\]/g, '\\$&')}(?![\\w/-])`).test(text)

function dependenciesOf({ text }: SourceFile): readonly string[] {
  const manifest: Record<string, unknown> = JSON.parse(text)
  const fields = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']
  return fields.flatMap((field) => Object.keys(manifest[field] ?? {}))
}
