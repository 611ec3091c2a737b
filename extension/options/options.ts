import {
  askForInstance,
  connectWithoutAccount,
  disconnect,
  NotConnected,
  nameOf,
  originIn,
  signIn,
} from '../parts/connection.ts'
import { type Instance, readInstances } from '../parts/instances.ts'

const form = document.querySelector<HTMLFormElement>('#connect')!
const error = document.querySelector<HTMLElement>('#error')!
const list = document.querySelector<HTMLElement>('#instances')!

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  error.textContent = ''
  const fields = new FormData(form, event.submitter)
  try {
    const origin = originIn(String(fields.get('address')))
    if (!(await askForInstance(origin))) throw new NotConnected('Without the permission nothing can be connected.')
    const name = await nameOf(origin)
    if (fields.get('with') === 'account') await signIn(origin)
    else await connectWithoutAccount(origin, name)
    form.reset()
  } catch (thrown) {
    if (!(thrown instanceof NotConnected)) throw thrown
    error.textContent = thrown.message
  }
  await show()
})

async function show(): Promise<void> {
  const { all } = await readInstances()
  list.replaceChildren(...all.map(rowOf))
}

function rowOf(instance: Instance): HTMLElement {
  const row = document.createElement('li')
  const words = document.createElement('p')
  words.textContent = `${instance.name} (${new URL(instance.origin).host}), ${instance.account === null ? 'without an account' : 'signed in'}`
  const end = document.createElement('button')
  end.textContent = instance.account === null ? 'Disconnect' : 'Sign out'
  end.addEventListener('click', async () => {
    await disconnect(instance)
    await show()
  })
  row.append(words, end)
  return row
}

await show()
