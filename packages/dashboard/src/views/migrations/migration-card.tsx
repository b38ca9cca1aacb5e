import { formatCount, formatSeconds } from '@strata/insight'
import { useState } from 'preact/hooks'
import { LayerMark } from '../../layers/layer-mark.tsx'
import { actionsOn, type CardAction } from '../../model/migrations/card-actions.ts'
import type { MigrationCard } from '../../model/migrations/migration-cards.ts'
import { Age } from '../../shell/age.tsx'
import { useApp } from '../../shell/app-context.ts'
import { Copyable } from '../../shell/copyable.tsx'
import { ResourceName } from '../../shell/resource-name.tsx'

interface Props {
  readonly card: MigrationCard
}

const phases = {
  ...{ pending: 'waiting', running: 'running', paused: 'paused', cancelling: 'being cancelled' },
  ...{ succeeded: 'done', failed: 'failed' },
} as const

export const Card = ({ card }: Props) => (
  <li class={`card card-${card.phase}`}>
    <header class="card-head">
      <h3>
        <ResourceName name={card.resource} />
      </h3>
      <span class="card-phase">{phases[card.phase]}</span>
    </header>
    {/* Another way is another line: what is left of it does not jump to the front. */}
    <p class="card-way" key={card.from.join()}>
      {card.from.map((each) => (
        <LayerMark key={each} resource={card.resource} version={each} isOld />
      ))}
      {card.from.length > 0 && <span aria-hidden="true">→</span>}
      {card.to !== undefined && <LayerMark resource={card.resource} version={card.to} />}
      <span class="muted card-since">
        <Age since={card.since} />
      </span>
    </p>
    <Progress card={card} />
    {/* Before the list, which grows. */}
    <div class="card-foot">
      <Actions card={card} />
      {card.note !== undefined && <p class={card.phase === 'failed' ? 'problem' : 'muted'}>{card.note}</p>}
    </div>
    <SetAsideList card={card} />
  </li>
)

const Progress = ({
  card: { resource, to = '', phase, percent, settled, total, ratePerSecond, etaSeconds },
}: Props) => {
  const { colours } = useApp()
  // Before it begins there is room for it: nothing below moves when it does.
  if (phase === 'failed') return null
  return (
    <>
      <div
        class="progress"
        role="progressbar"
        aria-label={`Migration of ${resource}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
      >
        <div
          class={`progress-done layer-${colours.of(resource, to)}`}
          style={{ width: `${percent ?? 0}%` }}
        />
      </div>
      <dl class="card-facts num">
        <div>
          <dt>done</dt>
          <dd>{percent === undefined ? '–' : `${percent} %`}</dd>
        </div>
        <div>
          <dt>objects</dt>
          <dd>
            {formatCount(settled)}
            {total !== undefined && ` of ${formatCount(total)}`}
          </dd>
        </div>
        <div>
          <dt>rate</dt>
          <dd>{ratePerSecond > 0 ? `${formatCount(Math.round(ratePerSecond))}/s` : '–'}</dd>
        </div>
        <div>
          <dt>left</dt>
          <dd>{phase !== 'running' || etaSeconds === undefined ? '–' : formatSeconds(etaSeconds)}</dd>
        </div>
      </dl>
    </>
  )
}

const SetAsideList = ({ card: { setAside, setAsideCount } }: Props) => {
  if (setAsideCount === 0) return null
  return (
    <section class="set-aside">
      <h4>{formatCount(setAsideCount)} set aside</h4>
      {setAside.map(({ reason, fix, objects }) => (
        <details key={reason} open={setAside.length === 1}>
          <summary>
            {reason} <span class="num muted">{formatCount(objects.length)}</span>
          </summary>
          <p>{fix}.</p>
          <ul class="stale">
            {objects.map(({ namespace, name, message }) => (
              <li key={`${namespace}/${name}`}>
                <span class="mono">{namespace === undefined ? name : `${namespace}/${name}`}</span>
                <span class="muted">{message}</span>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  )
}

/** What is asked is done by the object, which the page then sees change. */
const Actions = ({ card }: Props) => {
  const { client, session, signal, moment } = useApp()
  const [problem, setProblem] = useState('')
  const [shown, setShown] = useState<CardAction | undefined>(undefined)
  const actions = actionsOn(card, moment.value !== undefined)
  if (actions.length === 0) return null
  const act = async ({ annotations }: CardAction): Promise<void> => {
    const [place = '', name = ''] = card.object.split('/')
    const [resource = '', ...group] = place.split('.')
    const versionName = place.endsWith('storagemigration.k8s.io') ? 'v1beta1' : 'v1alpha1'
    await client
      .resource({ group: group.join('.'), versionName, resource })
      .patch({ name }, { metadata: { annotations } }, signal)
  }
  const run = (action: CardAction): void => {
    setProblem('')
    act(action).catch((error: unknown) => {
      setProblem(error instanceof Error ? error.message : String(error))
      setShown(action)
    })
  }
  return (
    <footer class="card-actions">
      {actions.map((action) => (
        <button
          key={action.name}
          type="button"
          title={action.command}
          disabled={!action.isEnabled}
          onClick={() => (session.allowWrites ? run(action) : setShown(action))}
        >
          {action.name}
        </button>
      ))}
      {problem !== '' && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {shown && moment.value === undefined && <Copyable command={shown.command} />}
    </footer>
  )
}
