"""One file for each kind of relation. `ALL` has them by name, in the order of docs/design/second-roads.md."""
from . import company, contract, coordinates, damage, derivatives, environment, equilibria, evidence, order, pairs, statements, time

ALL = {relation.name: relation for module in (coordinates, statements, time, order, company, pairs, derivatives, equilibria, evidence,
                                                   environment, damage, contract)
       for relation in module.RELATIONS}
