// The parts of Tabler that the pages use: elements, then classes.
export const PARTS = `
  html body main header nav section article aside footer h1 h2 h3 h4 p a ul ol li dl dt dd b strong em small code pre kbd samp mark abbr
  blockquote hr img svg button input select optgroup option textarea label fieldset legend form progress output
  table caption thead tbody tfoot tr th td details summary dialog template
  btn btn-primary btn-danger btn-sm card badge form-control form-select form-check-input w-100 disabled active show data-bs-theme dark
`;
