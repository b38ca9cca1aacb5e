/** Packages that the files of the starter import, or run. */
const used = ['api', 'server', 'world']
const usedInDevelopment = ['cli', 'testing']

/** Where the packages come from: a registry, or archives by the name of the package. */
export type PackageSource = 'registry' | ReadonlyMap<string, string>

/**
 * The package.json of a new project; or, of the packages that it needs, one that has no archive. With archives it names all of
 * them: npm then finds there also those that only another package needs.
 */
export function decideManifest(
  name: string,
  version: string,
  source: PackageSource,
): Readonly<Record<string, unknown>> | { readonly missing: string } {
  const missing =
    source === 'registry' ? undefined : [...used, ...usedInDevelopment].find((each) => !source.has(each))
  if (missing !== undefined) return { missing }
  const others =
    source === 'registry'
      ? []
      : [...source.keys()].filter((each) => ![...used, ...usedInDevelopment].includes(each))
  const from = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(
      names.map((each) => [`@strata/${each}`, source === 'registry' ? version : `file:${source.get(each)}`]),
    )
  return {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=26' },
    scripts: {
      start: 'strata up --resources resources.ts --release 1.0',
      // An older Node finds no tests, and says that all of them pass.
      pretest: `node -e "if (parseInt(process.versions.node) < 26) throw 'Node 26 or newer is needed, this is ' + process.version"`,
      test: 'node --test',
    },
    dependencies: from(used),
    devDependencies: from([...usedInDevelopment, ...others].sort()),
  }
}

/** The archives of packages among the files of a folder. */
export function archivesAmong(files: readonly string[], version: string): ReadonlyMap<string, string> {
  const pattern = /^strata-([a-z]+)-(.*)\.tgz$/
  return new Map(
    files.flatMap((file) => {
      const [, name, found] = pattern.exec(file) ?? []
      return name !== undefined && found === version ? [[name, file]] : []
    }),
  )
}
