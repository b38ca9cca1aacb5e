import type { Reason } from '@strata/rehearsal/result'
import { LayerBar } from '../../layers/layer-bar.tsx'
import type { StepView } from '../../model/rehearsal/step-views.ts'
import { ResourceName } from '../../shell/resource-name.tsx'

/** One step: why it has its verdict, and what there is after it. */
export const StepDetails = ({ shown }: { readonly shown: StepView }) => {
  const { step, text, verdict, tone, reasons, notes, story } = shown
  return (
    <article class={`step-details tone-${tone}`} aria-label={`Step ${step}`}>
      <header>
        <h3>
          {step}. {text}
        </h3>
        <span class="verdict-word">{verdict}</span>
      </header>
      {reasons.length === 0 && (
        <p class="muted">Every object was read through every server, with all of its fields.</p>
      )}
      <Reasons list={reasons} />
      <h4>Stored after this step</h4>
      <Stored shown={shown} />
      {story && (
        <p class="muted">Without the server that stops. The story below tells what is stored with it.</p>
      )}
      <h4>Servers after this step</h4>
      <Servers shown={shown} />
      {story && (
        <>
          <h4>{story.title}</h4>
          <ol class="story">
            {story.lines.map((line, index) => (
              <li key={index}>{line}</li>
            ))}
          </ol>
        </>
      )}
      {notes.length > 0 && (
        <>
          <h4>Notes</h4>
          <Reasons list={notes} />
        </>
      )}
      <Happened shown={shown} />
    </article>
  )
}

const Reasons = ({ list }: { readonly list: readonly Reason[] }) => (
  <ul class="reasons">
    {list.map(({ level, rule, message, fix, server, object, path }) => (
      <li key={`${rule} ${server} ${object} ${path} ${message}`} class={level === 'note' ? 'muted' : ''}>
        <p>{message}</p>
        {fix !== undefined && (
          <p>
            <strong>Next:</strong> {fix}
          </p>
        )}
      </li>
    ))}
  </ul>
)

const Stored = ({ shown: { layers } }: { readonly shown: StepView }) =>
  layers.length === 0 ? (
    <p class="muted">Nothing was read from the store.</p>
  ) : (
    <dl class="stored">
      {layers.map((row) => (
        <div key={row.resource}>
          <dt>
            <ResourceName name={row.resource} />
          </dt>
          <dd>
            <LayerBar row={row} />
          </dd>
        </div>
      ))}
    </dl>
  )

const Servers = ({ shown: { servers } }: { readonly shown: StepView }) => (
  <ul class="played-servers">
    {servers.map(({ server, state, release }) => (
      <li key={server}>
        {server}: {release}
        {state !== 'up' && <strong>, {state}</strong>}
      </li>
    ))}
  </ul>
)

const Happened = ({ shown: { events, step } }: { readonly shown: StepView }) => {
  if (events.length === 0) return null
  return (
    <details class="happened" key={step}>
      <summary>
        What happened in this step: {events.length === 1 ? '1 event' : `${events.length} events`}
      </summary>
      <ol class="story">
        {events.map(({ atMs, text }, index) => (
          <li key={index}>
            <span class="num muted">{(atMs / 1000).toFixed(1)} s</span> {text}
          </li>
        ))}
      </ol>
    </details>
  )
}
