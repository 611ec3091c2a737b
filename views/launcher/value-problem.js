// @ts-check

/**
 * Says below a field what is wrong with its value; null if nothing is.
 * @param {HTMLInputElement | HTMLSelectElement} field
 * @param {string | null} problem
 */
// biome-ignore lint/correctness/noUnusedVariables: called by the scripts that are served together with this one
function showProblem(field, problem) {
  const id = `${field.id}-error`
  let line = document.getElementById(id)
  if (problem === null) {
    line?.remove()
    field.removeAttribute('aria-invalid')
    field.setAttribute('aria-describedby', 'fills')
    return
  }
  if (line === null) {
    line = document.createElement('p')
    line.id = id
    line.className = 'error'
    field.after(line)
  }
  line.textContent = problem
  field.setAttribute('aria-invalid', 'true')
  field.setAttribute('aria-describedby', `${id} fills`)
}
