import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useApp } from '../../shell/app-context.ts'
import { Copyable } from '../../shell/copyable.tsx'
import { Link } from '../../shell/link.tsx'

/** A file, a text or an example; what is wrong with the last one. */
export const LoadRehearsal = () => {
  const { rehearsal } = useApp()
  const { canPlay } = rehearsal
  const pasted = useSignal('')
  const { value: waitingFor } = rehearsal.waitingFor
  return (
    <>
      <p class="muted rehearsal-help">
        A rehearsal is a file with an upgrade path. It is played with real API servers over a store in memory,
        in simulated time; each step gets a verdict.
        {canPlay
          ? ' It is played on the machine that serves this page, without the cluster. Its CRDs have to stand inside of it, instead of names of files.'
          : ' An API server plays none: run the command where the file is, and load here what it prints.'}
      </p>
      {!canPlay && <Copyable command="strata rehearse rehearsal.yaml -o json > result.json" />}
      <Problems />
      <div class="load">
        <label class="load-file">
          <span>{canPlay ? 'A file with a path, or with a result' : 'A file with a result'}</span>
          <input
            type="file"
            accept=".yaml,.yml,.json"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? []
              if (file) void rehearsal.open(file.name, () => file.text())
            }}
          />
        </label>
        <form
          class="load-text"
          onSubmit={(event) => {
            event.preventDefault()
            void rehearsal.open('the pasted text', async () => pasted.value)
          }}
        >
          <label for="pasted">{canPlay ? 'Or the text of one' : 'Or its text'}</label>
          <textarea
            id="pasted"
            rows={4}
            spellcheck={false}
            value={pasted.value}
            placeholder={canPlay ? 'server: strata\ncrds: …\nsteps: …' : '{"rehearsals": […]}'}
            onInput={({ currentTarget }) => (pasted.value = currentTarget.value)}
          />
          <button type="submit" class="primary" disabled={waitingFor !== undefined}>
            {canPlay ? 'Play' : 'Show'}
          </button>
        </form>
      </div>
      <Waiting />
      {canPlay && <Examples />}
    </>
  )
}

export const Waiting = () => {
  const { value: waitingFor } = useApp().rehearsal.waitingFor
  return (
    <p class="muted waiting" role="status">
      {waitingFor === undefined ? '' : `Playing ${waitingFor} …`}
    </p>
  )
}

/** Each with its field and its fix. */
const Problems = () => {
  const { rehearsal } = useApp()
  const { value: problems } = rehearsal.problems
  return (
    <div role="alert">
      {problems.length > 0 && (
        <ul class="load-problems">
          {problems.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              {field !== '' && <code>{field}</code>} {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const Examples = () => {
  const { rehearsal } = useApp()
  const problem = useSignal('')
  useEffect(() => {
    rehearsal.listExamples().catch((error: unknown) => {
      problem.value = `The examples could not be read: ${error instanceof Error ? error.message : String(error)}`
    })
  }, [rehearsal, problem])
  return (
    <>
      <h2>Examples</h2>
      <p class="problem">{problem.value}</p>
      <ul class="examples">
        {rehearsal.examples.value.map(({ name, title }) => (
          <li key={name}>
            <Link to={{ view: 'rehearsal', item: name }} class="example">
              <span class="example-name">{name}</span>
              <span class="example-title">{title}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
