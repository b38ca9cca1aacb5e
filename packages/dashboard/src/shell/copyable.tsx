import { useState } from 'preact/hooks'

/** A command, as text that can be selected, and with a button that copies it. */
export const Copyable = ({ command }: { readonly command: string }) => {
  const [said, setSaid] = useState('Copy')
  const copy = (): void => {
    navigator.clipboard.writeText(command).then(
      () => setSaid('Copied'),
      () => setSaid('Select it'),
    )
  }
  return (
    <div class="copyable">
      <code>{command}</code>
      <button type="button" class="quiet" onClick={copy} onBlur={() => setSaid('Copy')}>
        {said}
      </button>
    </div>
  )
}
