import type { GroupResource } from '@strata/api'
import { decideSuggestion } from '../unknown-command.ts'
import { commandRights, withoutRights } from './command-rights.ts'

/** What the arguments of strata rbac ask for. */
export interface RightsQuestion {
  readonly commands: readonly string[]
  /** Empty: every resource. */
  readonly resources: readonly GroupResource[]
}

/** No cluster is asked what a name without a dot means. */
const coreResources: ReadonlySet<string> = new Set([
  ...['configmaps', 'endpoints', 'events', 'limitranges', 'namespaces', 'nodes', 'persistentvolumeclaims'],
  ...['persistentvolumes', 'pods', 'podtemplates', 'replicationcontrollers', 'resourcequotas', 'secrets'],
  ...['serviceaccounts', 'services'],
])

/** Commands that take no resource, or look at all of them whatever is named. */
const ofAll: ReadonlySet<string> = new Set([
  ...['controllers', 'controllers init', 'controllers install', 'controllers uninstall'],
])

/** Tells the words of commands from names of resources; or says in one sentence what is wrong. */
export function decideQuestion(words: readonly string[], all: boolean): RightsQuestion | string {
  const known = Object.keys(commandRights)
  const named: string[] = []
  const resources: GroupResource[] = []
  for (let at = 0; at < words.length; ) {
    const [one = '', two] = words.slice(at, at + 2)
    const pair = two === undefined ? '' : `${one} ${two}`
    const command = [pair, one].find((each) => each in commandRights || each in withoutRights)
    at += command === pair ? 2 : 1
    if (command !== undefined && command in withoutRights)
      return `strata ${command} needs no rights: it ${withoutRights[command]}`
    const resource = command === undefined ? parseResource(one) : undefined
    if (command !== undefined) named.push(command)
    else if (resource !== undefined) resources.push(resource)
    else return whyNeither(one, known)
  }
  if (all && named.length > 0) return 'name commands or use --all, not both'
  if (!all && named.length === 0) return `name a command, or use --all; there are ${known.join(', ')}`
  const commands = all ? known.filter((each) => !ofAll.has(each)) : named
  const whole = resources.length > 0 ? commands.find((each) => ofAll.has(each)) : undefined
  if (whole !== undefined) return `strata ${whole} acts on every resource: leave out the resource`
  return { commands, resources }
}

function parseResource(word: string): GroupResource | undefined {
  if (coreResources.has(word)) return { group: '', resource: word }
  const [, resource, group] = /^([a-z][a-z0-9-]*)\.([a-z0-9.-]+)$/.exec(word) ?? []
  return resource === undefined || group === undefined ? undefined : { group, resource }
}

function whyNeither(word: string, known: readonly string[]): string {
  const [suggestion] = decideSuggestion(word, known)
  const hint = suggestion === undefined ? '' : ` (did you mean "${suggestion}"?)`
  return `${JSON.stringify(word)} is neither a command nor the full name of a resource, e.g. lamps.light.example.dev${hint}; this command asks no cluster, so it knows no short names`
}
