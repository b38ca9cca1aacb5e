export type ProgramName = 'strata' | 'kubectl strata'

/** kubectl starts a plugin by its file, kubectl-strata. `calledAs` is that path, before links are followed. */
export const decideProgramName = (calledAs: string): ProgramName =>
  /(?:^|\/)kubectl-strata(?:\.mjs)?$/.test(calledAs) ? 'kubectl strata' : 'strata'

/** Examples in help texts begin with `$ strata`; a user of the plugin types `kubectl strata`. */
export const renameExamples = (help: string, name: ProgramName): string =>
  name === 'strata' ? help : help.replaceAll(/^(\s*\$ )strata(?= )/gm, `$1${name}`)

/** What a user types to run strata: in a clone, npm finds it. `entry` is the script of this process. */
export const commandTyped = (entry: string): string =>
  /\/packages\/cli\/|\/node_modules\/\.bin\//.test(entry) ? 'npm exec strata --' : 'strata'
