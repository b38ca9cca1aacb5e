import type { PlayedScene } from '../../model/playground/fleet-view.ts'

const marks: Readonly<Record<string, string>> = { waiting: '○', running: '◐', done: '●', failed: '✕' }

interface Props {
  readonly scene: PlayedScene
}

/** A scene that a command plays: what it does, step by step. Once it has ended, the sentence that was observed. */
export const Scene = ({ scene }: Props) =>
  scene.state === 'playing' ? (
    <section class="scene" aria-label={`Scene: ${scene.title}`}>
      <h3>{scene.title}</h3>
      <Steps scene={scene} />
    </section>
  ) : (
    // Folded: the controls stay in sight.
    <details class="scene-ended scene">
      <summary>
        <span class="scene-told">
          {scene.title}: <Ending scene={scene} />
        </span>
      </summary>
      <div class="scene-steps">
        <Steps scene={scene} />
      </div>
    </details>
  )

const Ending = ({ scene: { sentence, state } }: Props) => (
  <span class={state === 'proven' ? 'scene-proven' : 'problem'}>
    {sentence === '' ? state : `${sentence}.`}
  </span>
)

const Steps = ({ scene: { proves, steps } }: Props) => (
  <>
    <p class="muted">{proves}</p>
    <ol>
      {steps.map(({ text, state: step, seen }) => (
        <li key={text} class={`scene-${step}`}>
          <span role="img" aria-label={step}>
            {marks[step] ?? '○'}
          </span>
          <span>
            {text}
            {seen !== undefined && <span class="muted"> {seen}</span>}
          </span>
        </li>
      ))}
    </ol>
  </>
)
