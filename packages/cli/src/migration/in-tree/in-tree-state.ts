import { conditionOf, isEnded, type MigrationView, objectName } from '@strata/insight'

/** How far upstream's migrator is with a migration. */
export type InTreeState =
  /** No controller has written to it. */
  | { readonly kind: 'untouched' }
  /** The migrator runs one migration of a resource at a time. */
  | { readonly kind: 'queued'; readonly behind: string }
  | { readonly kind: 'running'; readonly text: string }
  /** It has ended, and the migrator has yet to clean up: until then it may cut storedVersions. */
  | { readonly kind: 'closing' }
  | { readonly kind: 'ended'; readonly result: 'Succeeded' | 'Failed'; readonly message: string }

export type InTreeEnd = InTreeState & { readonly kind: 'ended' }

/** `others`: the migrations of the same resource. */
export function decideInTreeState(
  view: Pick<MigrationView, 'uid' | 'phase' | 'saysRunning' | 'conditions' | 'checkpoint'>,
  others: readonly Pick<MigrationView, 'uid' | 'group' | 'name' | 'phase' | 'saysRunning'>[],
): InTreeState {
  if (isEnded(view)) {
    if (view.saysRunning) return { kind: 'closing' }
    const result = view.phase === 'failed' ? 'Failed' : 'Succeeded'
    return { kind: 'ended', result, message: conditionOf(view, result)?.message ?? '' }
  }
  if (view.saysRunning || view.checkpoint !== '') return { kind: 'running', text: runningText(view) }
  const ahead = others.find((each) => each.uid !== view.uid && each.saysRunning)
  return ahead ? { kind: 'queued', behind: objectName(ahead) } : { kind: 'untouched' }
}

/** Releases before 1.37 say nothing but this. */
const silent = 'The migration is running'

function runningText(view: Pick<MigrationView, 'conditions' | 'checkpoint'>): string {
  const said = conditionOf(view, 'Running')?.message ?? ''
  if (view.checkpoint === '') return 'the migrator has taken it'
  const more = said.startsWith(silent) ? said.slice(silent.length).replace(/^[,;. ]+/, '') : said
  const from = `everything that was written before resourceVersion ${view.checkpoint}`
  const quiet =
    'this release reports no progress, and begins once its cache has seen a later write of the resource'
  return `migrating ${from}${more === '' ? `; ${quiet}` : `: ${more}`}`
}
