import { LayerBar } from '../../layers/layer-bar.tsx'
import type { RehearsalView } from '../../model/rehearsal/step-views.ts'
import { useApp } from '../../shell/app-context.ts'
import { StepDetails } from './step-details.tsx'

/** The verdict, the steps, and the one that is shown. */
export const PlayedPath = ({ name, view }: { readonly name: string; readonly view: RehearsalView }) => {
  const { rehearsal } = useApp()
  const { at } = rehearsal.playhead.value
  const shown = view.steps[at]
  return (
    <>
      <Title name={name} />
      <div class={`rehearsal-verdict tone-${view.tone}`}>
        <p class="rehearsal-summary" role="status">
          {view.summary}
        </p>
        <p>{view.about}.</p>
        <p>{view.search}</p>
      </div>
      <Controls view={view} />
      <div class="path">
        <ol class="steps" aria-label="Steps">
          {view.steps.map(({ step, text, verdict, tone, layers }, index) => (
            <li key={step} class={`step tone-${tone}${index === at ? ' step-shown' : ''}`}>
              <button
                type="button"
                aria-current={index === at ? 'step' : undefined}
                onClick={() => rehearsal.control({ show: index })}
              >
                <span class="step-number num">{step}</span>
                <span class="step-text">{text}</span>
                <span class="step-verdict">{verdict}</span>
              </button>
              {/* The same bars are beside it, with their numbers. */}
              <div class="step-layers" aria-hidden="true">
                {layers.map((row) => (
                  <LayerBar key={row.resource} row={row} />
                ))}
              </div>
            </li>
          ))}
        </ol>
        {/* Another step is another article. */}
        {shown && <StepDetails key={shown.step} shown={shown} />}
      </div>
    </>
  )
}

const Title = ({ name }: { readonly name: string }) => {
  const { rehearsal, route, go } = useApp()
  const leave = (): void => {
    if (route.value.item === undefined) rehearsal.leave()
    else go({ item: undefined })
  }
  const { value: names } = rehearsal.results
  return (
    <header class="rehearsal-title">
      {names.length < 2 ? (
        <h2>{name}</h2>
      ) : (
        <select
          aria-label="Rehearsal"
          value={rehearsal.chosen.value}
          onChange={({ currentTarget }) => rehearsal.choose(Number(currentTarget.value))}
        >
          {names.map((each, index) => (
            <option key={each} value={index}>
              {each}
            </option>
          ))}
        </select>
      )}
      <button type="button" onClick={leave}>
        Load another
      </button>
    </header>
  )
}

const Controls = ({ view: { steps, decisive } }: { readonly view: RehearsalView }) => {
  const { rehearsal } = useApp()
  const { at, isPlaying } = rehearsal.playhead.value
  const worst = decisive === undefined ? undefined : steps[decisive]
  return (
    <div class="play">
      <button type="button" disabled={at === 0} onClick={() => rehearsal.control('previous')}>
        <span aria-hidden="true">‹</span> Previous
      </button>
      <button
        type="button"
        class="primary play-button"
        onClick={() => rehearsal.control(isPlaying ? 'pause' : 'play')}
      >
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      <button type="button" disabled={at >= steps.length - 1} onClick={() => rehearsal.control('next')}>
        Next <span aria-hidden="true">›</span>
      </button>
      <span class="num muted" role="status">
        step {at + 1} of {steps.length}
        <span class="unseen">
          : {steps[at]?.text}, {steps[at]?.verdict}
        </span>
      </span>
      {worst && decisive !== at && !isPlaying && (
        <button type="button" class="quiet" onClick={() => rehearsal.control({ show: decisive ?? 0 })}>
          Show step {worst.step}: {worst.verdict}
        </button>
      )}
    </div>
  )
}
