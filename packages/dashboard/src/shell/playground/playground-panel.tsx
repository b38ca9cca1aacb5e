import { useComputed, useSignal } from '@preact/signals'
import {
  type Control,
  nextRelease,
  rollControls,
  serverControls,
} from '../../model/playground/decide-controls.ts'
import type { FleetView, PlayedAction } from '../../model/playground/fleet-view.ts'
import { type PlaygroundControl, useApp } from '../app-context.ts'
import { CrdSwitch } from './crd-switch.tsx'
import { Scene } from './scene.tsx'

/** Moves the servers of `strata up`. Apart from the views: no other cluster has it. */
export const PlaygroundPanel = ({ playground }: { readonly playground: PlaygroundControl }) => {
  const problem = useSignal('')
  const { timeline, moment } = useApp()
  const { value: fleet } = playground.fleet
  const act = (action: PlayedAction): void => {
    problem.value = ''
    playground.act(action).catch((error: unknown) => {
      problem.value = error instanceof Error ? error.message : String(error)
    })
  }
  if (!fleet) return null
  // The one that plays, else the one that was played last.
  const scene = fleet.scenes.find(({ state }) => state === 'playing') ?? fleet.scenes.at(-1)
  // What is shown beside the controls is of another time: who acts by it is mistaken.
  const isPast = moment.value !== undefined
  return (
    <section class="playground" aria-label="Playground">
      <h2>Playground</h2>
      {scene && <Scene scene={scene} />}
      {isPast && (
        <p class="played-past">
          These controls act now:{' '}
          <button type="button" onClick={() => timeline.open(undefined)}>
            back to now
          </button>
        </p>
      )}
      <fieldset class="played-controls" aria-label="Controls" disabled={isPast}>
        <Roll fleet={fleet} act={act} />
        <ul class="played">
          {fleet.servers.map((server) => (
            <li key={server.name}>
              <span class="played-name">{server.name}</span>
              <span class={`played-state played-${server.state}`}>{server.state}</span>
              <Buttons controls={serverControls(server)} act={act} about={server.name} />
            </li>
          ))}
        </ul>
        <Load load={fleet.load} act={act} />
        <CrdSwitch act={act} />
      </fieldset>
      <p class="problem" role="alert">
        {problem.value}
      </p>
    </section>
  )
}

type Act = (action: PlayedAction) => void

const Buttons = ({
  controls,
  act,
  about,
}: {
  readonly controls: readonly Control[]
  readonly act: Act
  readonly about?: string
}) => (
  <span class="played-buttons">
    {controls.map(({ label, action, command }) => (
      <button
        key={label}
        type="button"
        title={command}
        aria-label={about === undefined ? label : `${label} ${about}`}
        onClick={() => act(action)}
      >
        {label}
      </button>
    ))}
  </span>
)

const Roll = ({ fleet, act }: { readonly fleet: FleetView; readonly act: Act }) => {
  const chosen = useSignal<string | undefined>(undefined)
  const { roll, releases } = fleet
  if (releases.length === 0) return null
  const to = chosen.value ?? nextRelease(fleet)
  const isAtRest = roll === null || roll.state === 'done'
  return (
    <div class="played-roll">
      <select
        aria-label="Release to roll to"
        disabled={!isAtRest}
        value={(isAtRest ? to : roll.to) ?? ''}
        onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}
      >
        {releases.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      <Buttons controls={rollControls(fleet, to)} act={act} />
      <p class="played-said">{roll ? `${roll.state}, ${roll.step} of ${roll.of}: ${roll.message}` : ''}</p>
    </div>
  )
}

const steps = [0, 5, 20, 50, 200]

const Load = ({ load, act }: { readonly load: FleetView['load']; readonly act: Act }) => {
  const now = load?.writesPerSecond ?? 0
  const { nowMs } = useApp()
  const text = useComputed(() => {
    nowMs.value
    return now === 0 || load === null ? '' : `${load.written} written, ${load.refused} refused`
  })
  return (
    <div class="played-load">
      <label for="load">Writes per second</label>
      <select
        id="load"
        value={String(now)}
        onChange={({ currentTarget }) =>
          act({ action: 'load', writesPerSecond: Number(currentTarget.value) })
        }
      >
        {[...new Set([...steps, now])].map((each) => (
          <option key={each} value={String(each)}>
            {each}
          </option>
        ))}
      </select>
      <p class="played-written num">{text.value}</p>
    </div>
  )
}
